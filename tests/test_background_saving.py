"""Checkpoints that are written while training goes on: they hold what was there when they were asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from copy import deepcopy
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest
import torch
from ddpgen.strategies.checkpoints.background import background, finishes_saving, write_in_background
from ddpgen.strategies.checkpoints.checkpoint import write_checkpoint
from ddpgen.strategies.checkpoints.sharded_checkpoint import SHARED_PARTS, load_whole
from parity.differences import first_difference
from worlds import Runs, nameless

WAYS = {
    "ddp": "seed_everything: 1\ncheckpoint: {%s}",
    "full": "strategy: fsdp\nseed_everything: 1\nfsdp: {wrap: [Block]}\ncheckpoint: {%s}",
    "shares": "strategy: fsdp\nseed_everything: 1\nfsdp: {wrap: [Block]}\ncheckpoint: {state: sharded, %s}",
}
MAINS = ("ddp", "shares")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What two ranks have trained at once, waiting for what is written, and in halves, in the background."""
    runs = Runs(Path(__file__).with_name("fsdp"), tmp_path_factory.mktemp("runs"))
    main = (runs / "main.py").read_text().replace("save_weights_only=True", "save_last='link'")
    (runs / "main.py").write_text(main)
    for name, spec in WAYS.items():
        for kind, option in (("waiting", "every_n_epochs: 1"), ("meanwhile", "async: true, keep: 2")):
            runs.build(f"{name}_{kind}", spec % option, "--model", "Net")
            if name in MAINS:
                runs.build(f"main_{name}_{kind}", spec % option, source="main.py")
                runs.add(f"train_main_{name}_{kind}.py", cwd=f"{name}-{kind}-in-main")
        runs.train(f"{name}_waiting", f"{name}-at-once", 4)
        runs.train(f"{name}_meanwhile", f"{name}-in-halves", 2)
    runs.run()
    for name in WAYS:
        damage(runs / f"{name}-in-halves" / "last.ckpt")
        runs.train(f"{name}_meanwhile", f"{name}-in-halves", 4)
    runs.run()
    return runs


def damage(path: Path) -> None:
    """Have a part of what the last rank has written be lost."""
    file = path / "__1_0.distcp" if path.is_dir() else path
    with file.open("rb+") as opened:
        opened.seek(file.stat().st_size // 4)
        opened.write(bytes(file.stat().st_size // 2))


@pytest.mark.processes
@pytest.mark.parametrize("name", WAYS)
def test_has_the_same_state(name: str, runs: Runs) -> None:
    """Also after going on from the one before what was written meanwhile, which is damaged; nothing else is left."""
    expected, found = (
        nameless(load_whole(runs / f"{name}-{kind}" / "last.ckpt", *SHARED_PARTS))
        for kind in ("at-once", "in-halves")
    )
    assert not (difference := first_difference(expected, found, name)), difference
    assert (runs / f"{name}-in-halves/last.ckpt").is_dir() == (name == "shares")
    left = sorted(each.name for each in (runs / f"{name}-in-halves").iterdir())
    assert left == ["last-1.ckpt", "last.ckpt", "last.ckpt.damaged", "metrics.jsonl", "run-id"]


@pytest.mark.processes
@pytest.mark.parametrize("name", MAINS)
def test_callbacks_keep_the_best(name: str, runs: Runs) -> None:
    """Links lead there, what is replaced is gone, and evaluations read what is kept."""
    folders = [runs / f"{name}-{kind}-in-main" for kind in ("waiting", "meanwhile")]
    told = [json.loads((folder / "found.json").read_text()) for folder in folders]
    assert told[0] == told[1]
    kept = [
        sorted((each.name, each.resolve().name) for each in (folder / "kept").iterdir()) for folder in folders
    ]
    assert kept[0] == kept[1]
    assert any(name == "last.ckpt" != target for name, target in kept[1])


# ---- one process -----------------------------------------------------------------------------------------


@pytest.fixture
def training() -> Iterator[None]:
    """As within `fit`."""
    background.cache_clear()
    background().trains = True
    yield
    background().trains = False
    background().finish()


def state() -> dict[str, Any]:
    weight = torch.zeros(4)
    return {"state_dict": {"weight": weight, "tied": weight[:2]}, "losses": [1.0], "grown": weight.exp()}


class Slow:
    """Writes when it is told to."""

    def __init__(self) -> None:
        self.may_write = Event()

    def __call__(self, path: Path, checkpoint: dict[str, Any]) -> None:
        self.may_write.wait(10)
        write_checkpoint(path, checkpoint)


@pytest.mark.usefixtures("training")
def test_the_state_is_that_of_the_moment(tmp_path: Path) -> None:
    """What training changes before it is written is not in the file, the second time either; ties stay."""
    path, live = tmp_path / "last.ckpt", state()
    for epoch in range(2):
        slow, expected = Slow(), {**deepcopy(live), "epoch": epoch}
        background().write(slow, path, {**live, "epoch": epoch})
        live["state_dict"]["weight"] += 1
        live["losses"].append(2.0)
        slow.may_write.set()
        background().finish()
        found = torch.load(path, weights_only=True)
        assert not (difference := first_difference(expected, found, "state")), difference
        weights = found["state_dict"]
        assert weights["tied"].data_ptr() == weights["weight"].data_ptr()


@pytest.mark.usefixtures("training")
def test_one_is_written_at_a_time(tmp_path: Path) -> None:
    """The next one waits, and so does what follows a checkpoint."""
    slow, done = Slow(), list[str]()
    background().write(slow, tmp_path / "first", state())
    background().then(done.append, "first")
    assert not done
    Timer(0.05, slow.may_write.set).start()
    background().write(lambda *_: done.append("second"), tmp_path / "second", state())
    assert done[:1] == ["first"]
    background().finish()
    assert done == ["first", "second"]


def full(*_: Any) -> None:
    raise OSError("no space left")


@pytest.mark.usefixtures("training")
def test_an_error_is_raised_at_the_next_one(tmp_path: Path) -> None:
    """What would have been removed, as another has replaced it, stays."""
    removed = list[str]()
    background().write(full, tmp_path / "first", state())
    background().then(removed.append, "replaced")
    with pytest.raises(OSError, match="no space left"):
        background().write(write_checkpoint, tmp_path / "second", state())
    assert not removed
    background().finish()


def test_training_ends_when_it_is_written(tmp_path: Path) -> None:
    """Also when training fails, of which the error is raised; without training nothing waits."""
    background.cache_clear()

    @finishes_saving
    def fit(write: Any, fails: bool) -> None:
        slow = Slow()
        background().write(slow, tmp_path / "last.ckpt", state())
        background().then(write)
        Timer(0.05, slow.may_write.set).start()
        if fails:
            raise ValueError("nan")

    for fails in (False, True):
        with pytest.raises(ValueError, match="nan") if fails else nullcontext():
            fit(lambda: None, fails)
        (tmp_path / "last.ckpt").unlink()  # it is there
    with pytest.raises(OSError, match="no space left"):
        fit(full, False)
    with (
        pytest.warns(UserWarning, match="a checkpoint was not saved: no space left"),
        pytest.raises(ValueError, match="nan"),
    ):
        fit(full, True)
    write_in_background(tmp_path / "runs" / "after.ckpt", state())
    assert (tmp_path / "runs" / "after.ckpt").exists()
