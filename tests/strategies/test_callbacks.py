"""The smaller callbacks beside Lightning's, and what ranks decide together."""

from __future__ import annotations

import inspect
import os
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ddpgen.strategies.callbacks.callbacks as our_module
import lightning.pytorch.callbacks as lightning
import lightning.pytorch.callbacks.timer as their_timer
import pytest
import torch
from ddpgen.strategies.callbacks.callbacks import (
    Callback,
    GradientAccumulationScheduler,
    LearningRateMonitor,
    Timer,
    any_rank,
    every_rank,
    from_rank_zero,
    require_own_states,
    with_timer,
)
from ddpgen.strategies.callbacks.early_stopping import EarlyStopping
from ddpgen.strategies.callbacks.model_checkpoint import ModelCheckpoint
from ddpgen.strategies.distributed.ranks import Ranks
from lightning.pytorch import Trainer
from lightning.pytorch.utilities.exceptions import MisconfigurationException
from lightning_callbacks import FakeTrainer, World, files
from torch import nn
from torch.optim import SGD, Adam, Optimizer
from torch.optim.lr_scheduler import StepLR

# ---- the base --------------------------------------------------------------------------------------------


def hooks(kind: type) -> dict[str, list[str]]:
    """The hooks that a callback may define, with their arguments."""
    methods = {name: member for name, member in vars(kind).items() if not name.startswith("_")}
    return {name: list(inspect.signature(m).parameters) for name, m in methods.items() if callable(m)}


def test_the_hooks_are_lightnings() -> None:
    assert hooks(Callback) == hooks(lightning.Callback)


def test_a_callback_without_hooks_does_nothing() -> None:
    class Mine(Callback):
        pass

    callback = Mine()
    for name, arguments in hooks(Callback).items():
        returned = getattr(callback, name)(*arguments[1:])
        assert returned is None or (name, returned) == ("state_dict", {})
    assert callback.state_key == "test_a_callback_without_hooks_does_nothing.<locals>.Mine"
    assert callback._generate_state_key(a=1).endswith("Mine{'a': 1}")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (EarlyStopping, lightning.EarlyStopping),
        (LearningRateMonitor, lightning.LearningRateMonitor),
        (ModelCheckpoint, lightning.ModelCheckpoint),
        (Timer, lightning.Timer),
        (GradientAccumulationScheduler, lightning.GradientAccumulationScheduler),
    ],
)
def test_arguments_are_lightnings_in_their_order(ours: Any, theirs: Any) -> None:
    found, expected = (inspect.signature(kind).parameters for kind in (ours, theirs))
    assert list(found) == list(expected)
    assert [p.default for p in found.values()] == [p.default for p in expected.values()]


# ---- learning rates --------------------------------------------------------------------------------------


def weights(count: int = 1) -> list[nn.Parameter]:
    return [nn.Parameter(torch.zeros(1)) for _ in range(count)]


def random_optimizer(choose: random.Random) -> Optimizer:
    groups: list[dict[str, Any]] = [{"params": weights()} for _ in range(choose.choice([1, 1, 2, 3]))]
    for number, group in enumerate(groups):
        group["lr"] = choose.choice([0.1, 0.01, 0.3])
        if choose.random() < 0.3:
            group["name"] = f"part{number}"
    if choose.random() < 0.5:
        return Adam(groups, betas=(0.8, 0.9))
    return SGD(groups, momentum=choose.choice([0, 0.9]), weight_decay=0.2)


def random_schedules(choose: random.Random, optimizers: list[Optimizer]) -> list[Any]:
    found = []
    for optimizer in optimizers:
        if choose.random() < 0.7:
            name = choose.choice([None, None, f"mine{len(found)}"])
            interval = choose.choice(["step", "epoch"])
            found.append(SimpleNamespace(scheduler=StepLR(optimizer, 1), name=name, interval=interval))
    return found


class Written:
    """A logger that keeps what it is given."""

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def log_metrics(self, metrics: dict[str, float], step: int) -> None:
        self.rows.append((metrics, step))


def trainer_with(optimizers: list[Optimizer], schedules: list[Any], every: int) -> FakeTrainer:
    trainer = FakeTrainer(
        Path(), World(), optimizers=optimizers, lr_scheduler_configs=schedules, log_every_n_steps=every
    )
    trainer.loggers = [Written()]
    loop = SimpleNamespace(_batches_that_stepped=0)
    vars(trainer)["fit_loop"] = SimpleNamespace(epoch_loop=loop)
    connector = SimpleNamespace(should_update_logs=False)
    vars(trainer)["_logger_connector"] = connector
    return trainer


def at_step(trainer: FakeTrainer, step: int) -> None:
    """Tell Lightning's callback in its own words."""
    trainer.global_step = trainer.logged_step = trainer.fit_loop.epoch_loop._batches_that_stepped = step
    every = trainer.log_every_n_steps
    due = every > 0 and ((step + 1) % every == 0 or trainer.should_stop)
    vars(trainer)["_logger_connector"].should_update_logs = due


def seen(monitor: Any, trainer: FakeTrainer) -> Any:
    values = monitor.lrs, monitor.last_momentum_values, monitor.last_weight_decay_values
    metrics = {name: (value.item(), value.dtype) for name, value in trainer.callback_metrics.items()}
    return *values, metrics, trainer.loggers[0].rows


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.filterwarnings("ignore")
def test_the_same_learning_rates_as_lightnings(seed: int) -> None:
    choose = random.Random(seed)
    arguments: Any = {
        "logging_interval": choose.choice([None, "step", "epoch"]),
        "log_momentum": choose.random() < 0.5,
        "log_weight_decay": choose.random() < 0.5,
    }
    optimizers = [random_optimizer(choose) for _ in range(choose.choice([1, 1, 2, 3]))]
    schedules = random_schedules(choose, optimizers)
    every = choose.choice([0, 1, 2])
    kinds = lightning.LearningRateMonitor, LearningRateMonitor
    held: Any = [
        SimpleNamespace(optimizer=o, defaults=o.defaults) if choose.random() < 0.3 else o for o in optimizers
    ]
    sides = [(kind(**arguments), trainer_with(held, schedules, every)) for kind in kinds]
    model = SimpleNamespace(device=torch.device("cpu"))
    for step in range(6):
        grows = step == 3 and choose.random() < 0.5 and "name" not in optimizers[0].param_groups[0]
        if grows:  # as when a part of the model thaws
            optimizers[0].add_param_group({"params": weights(), "lr": 0.5})
        for monitor, trainer in sides:
            trainer.should_stop = step == 5
            trainer.current_epoch = step // 2
            at_step(trainer, step)
            if step == 0:
                monitor.on_train_start(trainer, model)
            if step % 2 == 0:
                monitor.on_train_epoch_start(trainer, model)
            monitor.on_train_batch_start(trainer, model, None, step % 2)
        assert seen(*sides[1]) == seen(*sides[0]), (arguments, schedules)


def test_groups_of_one_name_are_refused() -> None:
    optimizer = SGD([{"params": weights(), "name": "a"}, {"params": weights(), "name": "a"}], lr=0.1)
    for kind, error in (
        (lightning.LearningRateMonitor, MisconfigurationException),
        (LearningRateMonitor, ValueError),
    ):
        with pytest.raises(error, match=r"same name|identical"):
            kind().on_train_start(trainer_with([optimizer], [], 1), None)


def test_an_interval_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="logging_interval"):
        LearningRateMonitor("batch")
    with pytest.raises(ValueError, match="interval"):
        Timer(interval="batch")


# ---- accumulation ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheduling", [{0: 3}, {4: 2}, {1: 2, 3: 4}, {0: 2, 5: 1}, {3: 4, 1: 2}])
def test_the_same_windows_as_lightnings(scheduling: dict[int, int]) -> None:
    """Semantics 6.1: the window changes at an epoch's start."""
    theirs, ours = lightning.GradientAccumulationScheduler(dict(scheduling)), GradientAccumulationScheduler(
        scheduling
    )
    found = []
    for callback in (theirs, ours):
        trainer = FakeTrainer(Path(), World())
        windows = []
        for epoch in range(8):
            trainer.current_epoch = epoch
            callback.on_train_epoch_start(trainer, None)
            windows.append(trainer.accumulate_grad_batches)
        found.append(windows)
    assert found[0] == found[1]


@pytest.mark.parametrize("scheduling", [{}, {-1: 2}, {0: 0}])
def test_schedules_that_are_none_are_refused(scheduling: dict[int, int]) -> None:
    with pytest.raises((TypeError, MisconfigurationException)):
        lightning.GradientAccumulationScheduler(dict(scheduling))
    with pytest.raises(ValueError, match="epochs"):
        GradientAccumulationScheduler(scheduling)


def test_a_window_that_is_set_as_well_is_refused() -> None:
    trainer = FakeTrainer(Path(), World(), accumulate_grad_batches=2)
    with pytest.raises(ValueError, match="scheduled"):
        GradientAccumulationScheduler({0: 3}).on_train_start(trainer, None)


# ---- time ------------------------------------------------------------------------------------------------

STAGES = ("train", "sanity_check", "validate", "test", "predict")


def random_duration(choose: random.Random) -> Any:
    return choose.choice(
        [
            None,
            "00:00:00:05",
            " 00:00:00:02",
            timedelta(seconds=4),
            {"seconds": 3},
            {"minutes": 1},
            timedelta(0),
        ]
    )


def timed(timer: Any, trainer: FakeTrainer) -> Any:
    stages = [
        (timer.start_time(s), timer.end_time(s), timer.time_elapsed(s), timer.time_remaining(s))
        for s in STAGES
    ]
    return stages, timer.state_dict(), trainer.should_stop


TIMED_HOOKS = [
    "on_train_batch_end",
    "on_train_batch_end",
    "on_train_epoch_end",
    "on_validation_start",
    "on_validation_end",
    "on_test_start",
    "on_test_end",
    "on_train_end",
]


@pytest.mark.parametrize("seed", range(60))
def test_the_same_times_as_lightnings(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Semantics 13.4."""
    choose = random.Random(seed)
    now = [50.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    for module in (our_module, their_timer):
        monkeypatch.setattr(module, "time", clock)
    arguments = {
        "duration": random_duration(choose),
        "interval": choose.choice(["step", "epoch"]),
        "verbose": choose.random() < 0.5,
    }
    states: list[Any] = [None, None]
    for _ in range(2):
        kinds = lightning.Timer, Timer
        sides = [(kind(**arguments), FakeTrainer(Path(), World())) for kind in kinds]
        run = ["on_fit_start", "on_train_start", *choose.choices(TIMED_HOOKS, k=8)]
        for (timer, _), state in zip(sides, states, strict=True):
            if state:
                timer.load_state_dict(state)
        for hook in run:
            now[0] += choose.choice([0.0, 0.25, 1.5])
            rest = [{}, None, 0] if hook == "on_train_batch_end" else []
            for timer, trainer in sides:
                getattr(timer, hook)(trainer, None, *rest)
            assert timed(*sides[1]) == timed(*sides[0]), (arguments, hook)
        states = [timer.state_dict() for timer, _ in sides]


@pytest.mark.parametrize("duration", ["5", "00:00:05", "00:00:00:5", "1:00:00:00:00"])
def test_durations_that_are_none_are_refused(duration: str) -> None:
    with pytest.raises(MisconfigurationException):
        lightning.Timer(duration)
    with pytest.raises(ValueError, match="DD:HH:MM:SS"):
        Timer(duration)


def test_it_says_when_time_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    trainer = FakeTrainer(Path(), World())
    Timer(timedelta(0)).on_fit_start(trainer, None)
    assert capsys.readouterr().out == "Time limit reached after 0:00:00: stopping.\n"
    assert trainer.should_stop


def test_a_limit_makes_a_timer() -> None:
    saving, timer = ModelCheckpoint(), Timer()
    assert with_timer([saving], None) == [saving]
    assert with_timer([saving, timer], "00:01:00:00") == [saving, timer]
    made, last = with_timer([saving], timedelta(hours=1))
    assert (made.seconds, last) == (3600, saving)


# ---- several ranks ---------------------------------------------------------------------------------------


def test_one_process_decides_alone() -> None:
    assert [any_rank(True), any_rank(False), every_rank(True), every_rank(False)] == [
        True,
        False,
        True,
        False,
    ]
    assert from_rank_zero("a") == "a"


def each_rank_decides(ranks: Ranks) -> list[Any]:
    odd = ranks.rank == 1
    return [
        [decide(answer) for answer in (True, False, odd, not odd)] for decide in (any_rank, every_rank)
    ] + [from_rank_zero({"rank": ranks.rank})]


@pytest.mark.processes
def test_all_ranks_come_to_the_same_decision(two_ranks: Any) -> None:
    """Semantics 15.4."""
    expected = [[True, False, True, True], [True, False, False, False], {"rank": 0}]
    assert two_ranks(each_rank_decides) == [expected, expected]


def trainer_of(ranks: Ranks, folder: str) -> FakeTrainer:
    """Only rank 0 writes, and each rank would choose another folder."""
    place = {"world_size": 2, "global_rank": ranks.rank, "is_global_zero": ranks.rank == 0}
    trainer = FakeTrainer(Path(folder).absolute() / str(ranks.rank), World(), **place)
    save = trainer.save_checkpoint

    def save_on_rank_zero(path: str, weights_only: bool = False) -> None:
        if ranks.rank == 0:
            save(path, weights_only)

    vars(trainer)["save_checkpoint"] = save_on_rank_zero
    return trainer


def each_rank_checkpoints(ranks: Ranks) -> list[Any]:
    trainer = trainer_of(ranks, "kept")
    callback = ModelCheckpoint(monitor="loss", save_last="link", filename="best")
    callback.setup(trainer, None, "fit")
    kept = []
    for epoch, losses in enumerate([(0.5, 0.5), (0.4, 0.6), (0.3, 0.4), (0.2, 0.1)]):
        trainer.current_epoch, trainer.global_step = epoch, epoch + 1
        trainer.callback_metrics["loss"] = torch.tensor(losses[ranks.rank])
        callback.on_train_epoch_end(trainer, None)
        kept.append(os.path.basename(callback.best_model_path))
    root = Path("kept/0").absolute()
    return [
        kept,
        callback.dirpath == str(root / "checkpoints"),
        sorted(files(root)) if ranks.rank == 0 else None,
    ]


@pytest.mark.processes
def test_ranks_keep_the_same_checkpoints(two_ranks: Any) -> None:
    """Semantics 10.1, 10.5, 10.6: rank 0's folder, all must see an improvement, rank 0 knows the files."""
    kept = ["best.ckpt", "best.ckpt", "best.ckpt", "best.ckpt"]
    expected = ["checkpoints/best.ckpt", "checkpoints/last.ckpt"]
    assert two_ranks(each_rank_checkpoints) == [[kept, True, expected], [kept, True, None]]


def each_rank_finds_files(ranks: Ranks) -> list[str]:
    trainer = trainer_of(ranks, "found")
    found = []
    for _ in range(3):
        callback = ModelCheckpoint(filename="best")
        callback.setup(trainer, None, "fit")
        trainer.global_step += 1
        callback.on_train_epoch_end(trainer, None)
        found.append(os.path.basename(callback.best_model_path))
    return found


@pytest.mark.processes
def test_ranks_count_the_same_versions(two_ranks: Any) -> None:
    expected = ["best.ckpt", "best-v1.ckpt", "best-v2.ckpt"]
    assert two_ranks(each_rank_finds_files) == [expected, expected]


def each_rank_waits(ranks: Ranks) -> list[Any]:
    """By its own clock, the one rank would save and stop, the other not."""
    found: list[Any] = []
    for late in (0, 1):
        trainer = trainer_of(ranks, f"late{late}")
        seconds = timedelta(hours=0 if ranks.rank == late else 1)
        callback = ModelCheckpoint(train_time_interval=seconds)
        for each in (callback, timer := Timer(seconds, verbose=False)):
            each.setup(trainer, None, "fit")
            each.on_train_start(trainer, None)
            trainer.global_step = 1
            each.on_train_batch_end(trainer, None, {}, None, 0)
        found += [callback.best_model_path != "", trainer.should_stop, timer.start_time() is not None]
    return found


@pytest.mark.processes
def test_the_time_is_rank_zeros(two_ranks: Any) -> None:
    """Semantics 10.2."""
    expected = [True, True, True, False, False, True]
    assert two_ranks(each_rank_waits) == [expected, expected]


def each_rank_stops(ranks: Ranks) -> list[Any]:
    trainer = trainer_of(ranks, "stopped")
    callback = EarlyStopping("loss", patience=2)
    callback.setup(trainer, None, "fit")
    for epoch, losses in enumerate([(1.0, 1.0), (0.9, 1.1), (0.8, 1.2)]):
        trainer.current_epoch = epoch
        trainer.callback_metrics["loss"] = torch.tensor(losses[ranks.rank])
        callback.on_train_epoch_end(trainer, None)
    return [trainer.should_stop, callback.stopped_epoch, callback.wait_count]


@pytest.mark.processes
def test_one_rank_stops_all(two_ranks: Any) -> None:
    """Semantics 11.3."""
    assert two_ranks(each_rank_stops) == [[True, 2, 0], [True, 2, 2]]


@pytest.mark.parametrize("metrics", [("a", "b"), ("a", "a")])
def test_one_key_for_two_states_is_refused_as_by_lightning(metrics: tuple[str, str]) -> None:
    def refused(make: Callable[[], Any]) -> bool:
        try:
            make()
        except RuntimeError:
            return True
        return False

    ours = [EarlyStopping(metric) for metric in metrics]
    theirs = [lightning.EarlyStopping(metric) for metric in metrics]
    plain = [lightning.Callback(), lightning.Callback()]
    is_refused = refused(lambda: require_own_states([*ours, Callback(), Callback()]))
    assert is_refused is refused(lambda: Trainer(callbacks=[*theirs, *plain], logger=False))
    assert is_refused is (metrics == ("a", "a"))
