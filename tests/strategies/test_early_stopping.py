"""EarlyStopping beside Lightning's: the same stops, counts and scores after every hook of many runs."""

from __future__ import annotations

import inspect
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ddpgen.strategies.callbacks.early_stopping as our_module
import libcst as cst
import pytest
import torch
from ddpgen.lightning.api import CALLBACK_HOOKS
from ddpgen.runtime.folding.fold import fold
from ddpgen.runtime.folding.inline import inlined
from ddpgen.runtime.folding.known import Known
from ddpgen.strategies.callbacks.early_stopping import EarlyStopping, EarlyStoppingReason
from lightning.pytorch.callbacks import EarlyStopping as LightningStopping
from lightning.pytorch.utilities.exceptions import MisconfigurationException
from lightning_callbacks import Event, FakeTrainer, World, events, plain, play, random_schedule

STATE = ("wait_count", "stopped_epoch", "best_score", "patience", "state_key")

VALUES = [0.1, 0.2, 0.25, 0.25, 0.5, 0.5, 0.5, 1.5, 2.0, -1.0]
ODD_VALUES = [float("nan"), float("inf"), float("-inf")]


def end_epoch(callback: EarlyStopping, trainer: FakeTrainer) -> None:
    """Have it decide when to check, and check."""
    callback.setup(trainer, None, "fit")
    callback.on_train_epoch_end(trainer, None)


def random_arguments(choose: random.Random) -> dict[str, Any]:
    return {
        "monitor": choose.choice(["val_loss", "val_loss", "train_loss", "train_loss_epoch"]),
        "min_delta": choose.choice([0.0, 0.0, 0.1, 0.25]),
        "patience": choose.choice([0, 1, 2, 3]),
        "verbose": choose.random() < 0.3,
        "mode": choose.choice(["min", "max"]),
        "strict": choose.random() < 0.7,
        "check_finite": choose.random() < 0.7,
        "stopping_threshold": choose.choice([None, None, 0.15, 0.5]),
        "divergence_threshold": choose.choice([None, None, 0.5, 1.6]),
        "check_on_train_epoch_end": choose.choice([None, None, True, False]),
        "log_rank_zero_only": choose.random() < 0.5,
    }


def random_log(choose: random.Random) -> Any:
    names = {"train": ["train_loss"], "val": ["val_loss"], "epoch": ["train_loss_epoch"]}
    values = VALUES + (ODD_VALUES if choose.random() < 0.3 else [])
    if choose.random() < 0.1:
        names["val"] = ["val_los"]
    return lambda stage: {name: choose.choice(values) for name in names[stage]}


def seen(callback: Any, trainer: FakeTrainer, event: Event) -> dict[str, Any]:
    """Everything that a run could see after the hook."""
    outcome: dict[str, Any] = {"raised": play(event, callback, trainer, SimpleNamespace(now=0.0))}
    outcome |= {name: plain(getattr(callback, name), trainer.root) for name in STATE}
    state = plain(callback.state_dict(), trainer.root)
    outcome["says"] = state.pop("stopping_reason_message") is not None
    outcome["reason"] = callback.stopping_reason.name
    return outcome | {"state": state, "stops": trainer.should_stop, "collectives": trainer.world.collectives}


@pytest.mark.parametrize("seed", range(200))
@pytest.mark.filterwarnings("ignore")
def test_the_same_stops_as_lightnings(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Semantics 11, in runs of all kinds that go on after a stop, as they do before min_epochs, and are resumed."""
    choose = random.Random(seed)
    arguments = random_arguments(choose)
    agreeing = choose.random() < 0.7
    states: list[Any] = [None, None]
    for part in range(3):
        schedule = random_schedule(choose)
        run = list(events(schedule, choose, random_log(choose), part))
        if choose.random() < 0.1:
            validation = [event for event in run if event.hook == "on_validation_end"]
            run = [Event("setup", {"state_fn": "validate"}), *validation]
        sides = []
        for kind, state in zip((LightningStopping, EarlyStopping), states, strict=True):
            world = World(seed, agreeing)
            world.any_rank = world.any_rank_of_several  # type: ignore[method-assign]
            trainer = FakeTrainer(tmp_path, world, **schedule.settings)
            sides.append((kind(**arguments), trainer))
            if state is not None:
                sides[-1][0].load_state_dict(state)
        for event in run:
            expected = seen(*sides[0], event)
            monkeypatch.setattr(our_module, "any_rank", sides[1][1].world.any_rank)
            assert seen(*sides[1], event) == expected, (arguments, schedule, event)
            if expected["raised"]:
                return
        states = [callback.state_dict() for callback, _ in sides]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.filterwarnings("ignore")
def test_what_scripts_get_stops_the_same_runs(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script's class says nothing that no one hears, in few methods."""
    node = cst.ensure_type(cst.parse_statement(inspect.getsource(EarlyStopping)), cst.ClassDef)
    slim = inlined(
        fold(node, Known(attributes={"verbose": "False", "says_why": "False"})),
        {*STATE, *CALLBACK_HOOKS, "state_dict"},
    )
    monkeypatch.setattr(our_module, "EarlyStopping", None)  # it comes back when the test is over
    exec(cst.Module([slim]).code, vars(our_module))
    choose = random.Random(seed)
    arguments = {**random_arguments(choose), "verbose": False}
    world = World(seed)
    trainers = [FakeTrainer(tmp_path, world) for _ in range(2)]
    pairs = list(
        zip((LightningStopping(**arguments), our_module.EarlyStopping(**arguments)), trainers, strict=True)
    )
    monkeypatch.setattr(our_module, "any_rank", world.any_rank)
    for event in events(random_schedule(choose), choose, random_log(choose), 0):
        expected, found = (seen_of(*pair, event) for pair in pairs)
        assert found == expected, (arguments, event)


def seen_of(callback: Any, trainer: FakeTrainer, event: Event) -> Any:
    raised = play(event, callback, trainer, SimpleNamespace(now=0.0))
    state = plain(callback.state_dict(), trainer.root)
    state.pop("stopping_reason_message", None)
    return raised, state, callback.state_key, trainer.should_stop


@pytest.mark.parametrize("mode", ["auto", "", "MIN"])
def test_a_mode_that_is_none_is_refused(mode: str) -> None:
    with pytest.raises(MisconfigurationException):
        LightningStopping("loss", mode=mode)
    with pytest.raises(ValueError, match="mode"):
        EarlyStopping("loss", mode=mode)


def after(values: list[float], tmp_path: Path, **arguments: Any) -> tuple[EarlyStopping, FakeTrainer]:
    """The callback after epochs with these values."""
    callback, trainer = EarlyStopping("loss", **arguments), FakeTrainer(tmp_path, World())
    for epoch, value in enumerate(values):
        trainer.current_epoch = epoch
        trainer.callback_metrics["loss"] = torch.tensor(value)
        end_epoch(callback, trainer)
    return callback, trainer


@pytest.mark.parametrize(
    ("values", "arguments", "reason", "message"),
    [
        ([1.0, 2.0], {"patience": 1}, "PATIENCE_EXHAUSTED", "not improved in 1 check"),
        ([1.0, float("nan")], {}, "NON_FINITE_METRIC", "nan is not finite"),
        ([1.0, 0.5], {"stopping_threshold": 0.75}, "STOPPING_THRESHOLD", "0.5 is better than 0.75"),
        ([1.0, 9.0], {"divergence_threshold": 8.0}, "DIVERGENCE_THRESHOLD", "9.0 is worse than 8.0"),
    ],
)
def test_it_says_why_it_stops(
    values: list[float],
    arguments: dict[str, Any],
    reason: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Semantics 11.2."""
    callback, trainer = after(values, tmp_path, verbose=True, **arguments)
    assert trainer.should_stop
    assert callback.stopped_epoch == 1
    assert callback.stopping_reason is EarlyStoppingReason[reason]
    assert message in (callback.stopping_reason_message or "")
    best, last = capsys.readouterr().out.splitlines()
    assert best == "loss = 1.0 is the best value so far; before, it was inf."
    assert message in last


@pytest.mark.parametrize(("rank", "zero_only", "said"), [(0, True, True), (1, True, False), (1, False, True)])
def test_who_speaks(
    rank: int, zero_only: bool, said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    callback = EarlyStopping("loss", verbose=True, log_rank_zero_only=zero_only)
    place = {"world_size": 2, "global_rank": rank, "is_global_zero": rank == 0}
    trainer = FakeTrainer(tmp_path, World(), **place)
    trainer.callback_metrics["loss"] = torch.tensor(1.0)
    end_epoch(callback, trainer)
    assert capsys.readouterr().out.startswith(f"[rank: {rank}] loss") is said


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """Semantics 11.4."""
    trainer = FakeTrainer(tmp_path, World())
    trainer.callback_metrics["los"] = torch.tensor(1.0)
    with pytest.raises(RuntimeError, match=r"no 'loss' among \['los'\]"):
        end_epoch(EarlyStopping("loss"), trainer)
    with pytest.warns(UserWarning, match="los"):
        end_epoch(EarlyStopping("loss", strict=False, verbose=True), trainer)
    end_epoch(EarlyStopping("loss", strict=False), trainer)
    assert not trainer.should_stop


def test_lightning_reads_our_state_and_we_read_its() -> None:
    theirs, ours = LightningStopping("loss"), EarlyStopping("loss")
    theirs.wait_count, ours.wait_count = 2, 1
    state = ours.state_dict()
    ours.load_state_dict(theirs.state_dict())
    theirs.load_state_dict(state)
    assert (theirs.wait_count, ours.wait_count) == (1, 2)
