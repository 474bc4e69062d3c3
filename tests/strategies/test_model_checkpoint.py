"""ModelCheckpoint beside Lightning's: the same files, names, paths and scores after every hook of many runs."""

from __future__ import annotations

import random
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ddpgen.strategies.model_checkpoint as our_module
import lightning.pytorch.callbacks.model_checkpoint as their_module
import pytest
import torch
from ddpgen.strategies.model_checkpoint import ModelCheckpoint
from lightning.pytorch.callbacks import ModelCheckpoint as LightningCheckpoint
from lightning.pytorch.utilities.exceptions import MisconfigurationException
from lightning_callbacks import Event, FakeTrainer, World, events, files, plain, play, random_schedule

STATE = (
    "best_model_path",
    "best_model_score",
    "best_k_models",
    "kth_best_model_path",
    "kth_value",
    "last_model_path",
    "current_score",
    "dirpath",
    "state_key",
)

VALUES = [0.1, 0.25, 0.25, 0.5, 0.5, 1.5, float("nan"), float("inf"), -1.0]

FILENAMES = [
    None,
    None,
    "best",
    "{epoch}-{val_loss:.2f}",
    "{epoch:02d}-{step:03d}",
    "model_{val/acc:.3f}",
    "{train_loss}-{missing}",
    "{epoch}{epoch_time:.1f}_{epoch}",
    "sub/{step}",
]


class Side:
    """One of the two callbacks, with a trainer and a folder of its own."""

    def __init__(self, kind: type, root: Path, arguments: dict[str, Any], constants: dict[str, Any]) -> None:
        self.kind, self.root, self.arguments, self.constants = kind, root, arguments, constants
        self.clock = SimpleNamespace(now=100.0)
        root.mkdir()

    def start(self, world: World, logger: bool, **settings: Any) -> None:
        """A run with a callback as the user's code makes it."""
        arguments = dict(self.arguments)
        if "dirpath" in arguments:
            arguments["dirpath"] = self.root / arguments["dirpath"]
        self.callback = self.kind(**arguments)
        vars(self.callback).update(self.constants)
        self.trainer = FakeTrainer(self.root, world, callbacks=[self.callback], **settings)
        if logger:
            folder = str(self.root / "logs")
            made = SimpleNamespace(save_dir=folder, name="digits", version=3, after_save_checkpoint=lambda _: None)
            self.trainer.loggers = [made]
            self.trainer.log_dir = f"{folder}/digits/version_3"

    def play(self, event: Event, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
        clock = SimpleNamespace(monotonic=lambda: self.clock.now)
        world = self.trainer.world
        for module in (our_module, their_module):
            monkeypatch.setattr(module, "time", clock)
        monkeypatch.setattr(our_module, "any_rank", world.any_rank)
        monkeypatch.setattr(our_module, "every_rank", world.every_rank)
        monkeypatch.setattr(our_module, "from_rank_zero", world.broadcast)
        outcome: dict[str, Any] = {"raised": play(event, self.callback, self.trainer, self.clock)}
        outcome |= {name: plain(getattr(self.callback, name), self.root) for name in STATE}
        state = plain(self.callback.state_dict(), self.root)
        return outcome | {"files": files(self.root), "state": state, "collectives": world.collectives}


def random_arguments(choose: random.Random) -> dict[str, Any]:
    monitor = choose.choice([None, None, "val_loss", "val_loss", "val_loss", "train_loss", "step", "val/acc"])
    several = [1, 1, 2, 3, 0, -1] if monitor else [1, 1, 1, 0, -1]
    arguments: dict[str, Any] = {
        "monitor": monitor,
        "mode": choose.choice(["min", "max"]),
        "save_top_k": choose.choice(several),
        "filename": choose.choice(FILENAMES),
        "save_last": choose.choice([None, None, True, False, "link", "link"]),
        "save_weights_only": choose.random() < 0.2,
        "auto_insert_metric_name": choose.random() < 0.8,
        "enable_version_counter": choose.random() < 0.8,
        "save_on_train_epoch_end": choose.choice([None, None, True, False]),
        "save_on_exception": choose.random() < 0.3,
        "verbose": choose.random() < 0.2,
    }
    trigger, values = choose.choice(
        [
            ("every_n_epochs", [None, None, 1, 2, 0]),
            ("every_n_train_steps", [1, 2, 3, 4, 0]),
            ("train_time_interval", [timedelta(seconds=seconds) for seconds in (0, 1, 4)]),
        ]
    )
    arguments[trigger] = choose.choice(values)
    if choose.random() < 0.7:
        arguments["dirpath"] = choose.choice(["checkpoints", "a/../b"])
    return arguments


def random_constants(choose: random.Random) -> dict[str, Any]:
    if choose.random() < 0.8:
        return {}
    return {
        "CHECKPOINT_NAME_LAST": choose.choice(["{epoch}-last", "newest", "last-{step}-{val_loss:.1f}"]),
        "CHECKPOINT_EQUALS_CHAR": choose.choice(["=", "_"]),
        "CHECKPOINT_JOIN_CHAR": choose.choice(["-", "+"]),
        "FILE_EXTENSION": choose.choice([".ckpt", ".pt"]),
        "STARTING_VERSION": choose.choice([1, 0]),
    }


def random_log(choose: random.Random) -> Any:
    """What each stage logs: sometimes nothing, sometimes under the names of the counters."""
    names = {"train": ["train_loss"], "val": ["val_loss", "val/acc"], "epoch": ["train_loss_epoch"]}
    if choose.random() < 0.15:
        names["val"] = ["val_los"]
    if choose.random() < 0.1:
        names["train"] += ["epoch", "step"]
    return lambda stage: {name: choose.choice(VALUES) for name in names[stage]}


def cut(run: list[Event], choose: random.Random) -> list[Event]:
    """The run as far as an error in it, and the hook that is called then."""
    if choose.random() < 0.6:
        return run
    return [*run[: choose.randrange(1, len(run))], Event("on_exception")]


@pytest.mark.parametrize("seed", range(800))
@pytest.mark.filterwarnings("ignore")
def test_the_same_files_as_lightnings(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Semantics 10, in runs of all kinds, half of them resumed."""
    choose = random.Random(seed)
    arguments, constants = random_arguments(choose), random_constants(choose)
    theirs = Side(LightningCheckpoint, tmp_path / "theirs", arguments, constants)
    ours = Side(ModelCheckpoint, tmp_path / "ours", arguments, constants)
    agreeing, logger, resumes = (choose.random() < share for share in (0.7, 0.5, 0.5))
    for part in range(1 + resumes):
        schedule = random_schedule(choose)
        first = part * choose.randint(0, 3)
        run = cut(list(events(schedule, choose, random_log(choose), first)), choose)
        before = [deepcopy(side.callback.state_dict()) if part else {} for side in (theirs, ours)]
        moved = {"dirpath": "moved"} if part and choose.random() < 0.3 else {}
        for side in (theirs, ours):
            side.arguments = arguments | moved
            side.start(World(seed, agreeing), logger, **schedule.settings)
        for number, event in enumerate(run):
            expected, found = theirs.play(event, monkeypatch), ours.play(event, monkeypatch)
            assert found == expected, (arguments, schedule, event)
            if expected["raised"]:
                break
            if part and number == 0:
                resume(theirs, ours, before, choose)


def resume(theirs: Side, ours: Side, states: list[dict[str, Any]], choose: random.Random) -> None:
    """Go on from one of the files."""
    saved = sorted(files(theirs.root))
    chosen = choose.choice(saved) if saved else None
    for side, state in zip((theirs, ours), states, strict=True):
        side.trainer.ckpt_path = str(side.root / chosen) if chosen else None
        side.callback.load_state_dict(state)
