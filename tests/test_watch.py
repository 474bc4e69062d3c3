"""What `ddpgen verify` hears of a script's metrics, each value once, whoever writes it; and how it keeps files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from ddpgen.watch.lightning_side import _listen
from ddpgen.watch.mirrored import own_copy
from ddpgen.watch.records import Values
from ddpgen.watch.script_side import _Watch
from ddpgen.watch.written import Written


class Rows:
    """A sink that keeps the metrics."""

    def __init__(self) -> None:
        self.found: list[tuple[int, dict[str, float]]] = []

    def step(self, number: int, values: Values) -> None: ...

    def metrics(self, step: int, values: Mapping[str, float]) -> None:
        self.found.append((step, dict(values)))

    def close(self) -> None: ...


@pytest.fixture
def script() -> dict[str, Any]:
    class Logger:
        def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None: ...

        def log_hyperparams(self, params: Any) -> None:
            self.log_metrics({"hp_metric": -1})

    class Loggers:
        def __init__(self, loggers: list[Logger]) -> None:
            self.loggers = loggers

        def write(self, metrics: dict[str, Any], epoch: int, step: int) -> None:
            for logger in self.loggers:
                logger.log_metrics(metrics, step)

    return {"Logger": Logger, "Loggers": Loggers, "number": 1}


def test_each_value_is_heard_once(script: dict[str, Any]) -> None:
    sink = Rows()
    watch = _Watch(sink)
    watch.look_at(script)
    watch.look_at(script)  # as each model that is made has it done
    loggers = [script["Logger"](), script["Logger"]()]
    script["Loggers"](loggers).write({"loss": torch.tensor(0.5)}, 0, 3)
    for logger in loggers:  # as LearningRateMonitor does
        logger.log_metrics({"lr": 0.1}, 4)
    assert sink.found == [(3, {"loss": 0.5}), (4, {"lr": 0.1})]


def test_hyperparameters_are_no_metrics(script: dict[str, Any]) -> None:
    sink = Rows()
    _Watch(sink).look_at(script)
    script["Logger"]().log_hyperparams({})
    assert sink.found == []


def test_an_error_in_a_writer_does_not_deafen(script: dict[str, Any]) -> None:
    sink = Rows()
    _Watch(sink).look_at(script)
    with pytest.raises(AttributeError):
        script["Loggers"]([None]).write({"loss": 1.0}, 0, 1)
    script["Logger"]().log_metrics({"lr": 0.1}, 2)
    assert sink.found == [(1, {"loss": 1.0}), (2, {"lr": 0.1})]


def test_each_trainer_has_writers_of_its_own(script: dict[str, Any]) -> None:
    """As in a main that trains several models; two writers of one Trainer's count once."""
    sink = Rows()
    _Watch(sink).look_at(script)
    for step in (1, 2):
        for logger in (script["Logger"](), script["Logger"]()):
            logger.log_metrics({"loss": 0.5}, step)
    last = script["Logger"]()
    last.log_metrics({"loss": 0.25}, 2)
    last.log_metrics({"loss": 0.25}, 2)
    assert sink.found == [(1, {"loss": 0.5}), (2, {"loss": 0.5}), (2, {"loss": 0.25}), (2, {"loss": 0.25})]


def test_the_users_loggers_are_heard_as_the_scripts_are(script: dict[str, Any]) -> None:
    """What code hands to `self.logger` alone is heard too; a logger of two Trainers is heard once."""
    sink = Rows()
    written = Written(sink)
    loggers = [script["Logger"](), script["Logger"]()]
    for logger in (*loggers, *loggers):
        _listen(logger, written)
    for logger in loggers:
        logger.log_metrics(metrics={"loss": torch.tensor(0.5), "epoch": 0}, step=3)
        logger.log_hyperparams({})
    loggers[0].log_metrics({"extra": 1.0}, step=4)
    assert sink.found == [(3, {"loss": 0.5}), (4, {"extra": 1.0})]


def test_a_file_can_be_read_while_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one rank may while another is about to write to it."""
    (tmp_path / "users.txt").write_text("words")
    place = tmp_path / "mirror" / "link.txt"
    place.parent.mkdir()
    place.symlink_to(tmp_path / "users.txt")
    seen: list[str] = []

    def copyfile(source: Path, copy: Path) -> None:
        copy.write_text(source.read_text())
        seen.append(place.read_text())

    monkeypatch.setattr("shutil.copyfile", copyfile)
    own_copy(place.parent, place)
    assert seen == ["words"]
    assert not place.is_symlink()
    assert [path.name for path in place.parent.iterdir()] == ["link.txt"]
