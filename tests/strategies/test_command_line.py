"""The command line, and who a process is."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
from ddpgen.strategies.command_line.config import Settings, parse_config
from ddpgen.strategies.distributed.ranks import Ranks, ranks_from_env, sole_rank


@dataclass
class Config:
    max_epochs: int = 3
    learning_rate: float = 1e-3
    name: str = "a name"
    out: Path = Path("runs/x")
    resume: bool = False
    use_bias: bool = True


def parse(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Any:
    monkeypatch.setattr(sys, "argv", ["train.py", *arguments])
    return parse_config(Config, __doc__)


def test_without_options_all_is_as_it_stands_in_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse(monkeypatch) == Config()


@pytest.mark.parametrize(
    ("arguments", "field", "value"),
    [
        (["--max-epochs", "10"], "max_epochs", 10),
        (["--max-epochs=-1"], "max_epochs", -1),
        (["--max-epochs", "-1"], "max_epochs", -1),
        (["--learning-rate", "3e-4"], "learning_rate", 3e-4),
        (["--learning-rate", "1"], "learning_rate", 1.0),
        (["--name", ""], "name", ""),
        (["--name", "two words"], "name", "two words"),
        (["--out", "elsewhere/y"], "out", Path("elsewhere/y")),
        (["--resume"], "resume", True),
        (["--no-resume"], "resume", False),
        (["--no-use-bias"], "use_bias", False),
        (["--use-bias"], "use_bias", True),
    ],
    ids=str,
)
def test_an_option_for_every_field(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], field: str, value: Any
) -> None:
    parsed = parse(monkeypatch, *arguments)
    assert getattr(parsed, field) == value
    assert type(getattr(parsed, field)) is type(getattr(Config(), field))
    others = [each.name for each in fields(Config) if each.name != field]
    assert all(getattr(parsed, name) == getattr(Config(), name) for name in others)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--max-epochs", "ten"], "argument --max-epochs: invalid int value: 'ten'"),
        (["--max-epochs", "1.5"], "argument --max-epochs: invalid int value"),
        (["--max-epoch-count", "3"], "unrecognized arguments: --max-epoch-count"),
        (["--learning-rate"], "expected one argument"),
        (["10"], "unrecognized arguments: 10"),
        (["--resume", "yes"], "unrecognized arguments: yes"),
    ],
    ids=str,
)
def test_a_wrong_option_ends_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        parse(monkeypatch, *arguments)
    assert stop.value.code == 2
    assert complaint in capsys.readouterr().err


def test_help_is_the_scripts_docstring_as_it_stands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docstring = "Train it.\n\n    python train.py   # 100% of it\n"
    monkeypatch.setattr(sys, "argv", ["train.py", "--help"])
    with pytest.raises(SystemExit) as stop:
        parse_config(Config, docstring)
    shown = capsys.readouterr().out
    assert stop.value.code == 0
    assert docstring in shown
    assert all("--" + field.name.replace("_", "-") in shown for field in fields(Config))


# ---- ranks -----------------------------------------------------------------------------------------------

TORCHRUN = ("RANK", "LOCAL_RANK", "WORLD_SIZE")


@pytest.fixture(autouse=True)
def _no_torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TORCHRUN:
        monkeypatch.delenv(name, raising=False)


def test_without_torchrun_a_world_of_one() -> None:
    assert ranks_from_env() == sole_rank() == Ranks(rank=0, local_rank=0, world_size=1)


def test_what_torchrun_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(TORCHRUN, ("5", "1", "8"), strict=True):
        monkeypatch.setenv(name, value)
    assert ranks_from_env() == Ranks(rank=5, local_rank=1, world_size=8)


def test_ranks_do_not_change() -> None:
    with pytest.raises(AttributeError):
        Ranks(0, 0, 1).rank = 1  # type: ignore[misc]


def test_a_script_for_one_process_refuses_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(SystemExit, match="this script trains in one process: start it with python"):
        sole_rank()


def test_a_script_for_one_process_may_be_started_by_torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert sole_rank().world_size == 1


# ---- what it was told ------------------------------------------------------------------------------------


def test_settings_by_name_and_by_path() -> None:
    settings = Settings({"fit": {"model": {"width": 3}, "note": None}})
    assert settings["fit"]["model"]["width"] == settings["fit.model.width"] == settings.fit.model.width == 3
    assert "fit.model.width" in settings
    assert "fit.data" not in settings
    assert settings.get("fit.data", 5) == 5
    assert settings.fit.get("note", 5) is None
    assert not hasattr(settings, "data")
    assert settings.fit.as_dict() == {"model": {"width": 3}, "note": None}


def test_settings_stay_as_they_are() -> None:
    settings = Settings({"model": {"width": 3}})
    with pytest.raises(TypeError, match="width is given when the script is built"):
        settings["model"]["width"] = 4
    with pytest.raises(TypeError, match="width is given"):
        settings.model.width = 4
