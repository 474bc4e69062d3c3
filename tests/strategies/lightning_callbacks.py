"""A trainer that only pretends: all that Lightning's callbacks and ours read of one, and runs to drive both through."""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from lightning.pytorch.trainer.states import TrainerFn
from torch import Tensor

Value = float | int


@dataclass
class World:
    """The other ranks, whose votes come from a list of random numbers; and the collectives so far."""

    seed: int = 0
    agreeing: bool = True
    collectives: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def broadcast(self, value: Any) -> Any:
        self.collectives.append("flag" if isinstance(value, bool) else "broadcast")
        return value

    def reduce_boolean_decision(self, decision: bool, all: bool = True) -> bool:
        return self.every_rank(decision) if all else self.any_rank(decision)

    def every_rank(self, decision: bool) -> bool:
        self.collectives.append("every")
        return decision and (self.agreeing or self.random.random() < 0.7)

    def any_rank(self, decision: bool) -> bool:
        """Rank 0 alone knows what this is asked of."""
        self.collectives.append("flag")
        return decision

    def any_rank_of_several(self, decision: bool) -> bool:
        self.collectives.append("flag")
        return decision or not (self.agreeing or self.random.random() < 0.9)

    def barrier(self) -> None:
        pass


class FakeTrainer:
    """What callbacks read of a trainer, under Lightning's names and under ours."""

    def __init__(self, root: Path, world: World, **settings: Any) -> None:
        self.root, self.world = root, world
        self.default_root_dir = str(root)
        self.loggers: list[Any] = []
        self.log_every_n_steps = 1
        self.accumulate_grad_batches = 1
        self.optimizers: list[Any] = []
        self.lr_scheduler_configs: list[Any] = []
        self.callback_metrics: dict[str, Tensor] = {}
        self.callbacks: list[Any] = []
        self.current_epoch = self.global_step = 0
        self.sanity_checking = self.should_stop = False
        self.state_fn = "fit"
        self.ckpt_path: str | None = None
        self.run, self.first_step = "", 0
        self.world_size, self.global_rank, self.is_global_zero = 1, 0, True
        self.num_training_batches: float = 4
        self.num_val_batches: list[float] = [2]
        self.limit_val_batches: float = 1.0
        self.check_val_every_n_epoch: int | None = 1
        self.val_check_interval: float = 1.0
        vars(self).update(settings)
        self._add_lightnings()

    def _add_lightnings(self) -> None:
        self.fast_dev_run = False
        self.strategy = SimpleNamespace(
            broadcast=self.world.broadcast,
            reduce_boolean_decision=self.world.reduce_boolean_decision,
            barrier=self.world.barrier,
            remove_checkpoint=remove,
            root_device=torch.device("cpu"),
        )
        self.epoch_loop = SimpleNamespace(
            batch_progress=SimpleNamespace(is_last_batch=False),
            val_loop=SimpleNamespace(_has_run=False),
        )
        self.fit_loop = SimpleNamespace(epoch_loop=self.epoch_loop)

    @property
    def state(self) -> Any:
        return SimpleNamespace(fn=TrainerFn("fit" if self.state_fn == "fit" else "validate"))

    @property
    def enable_validation(self) -> bool:
        return sum(self.num_val_batches) > 0

    def save_checkpoint(self, path: str, weights_only: bool = False) -> None:
        states = {callback.state_key: plain(callback.state_dict(), self.root) for callback in self.callbacks}
        text = {"epoch": self.current_epoch, "step": self.global_step, "weights_only": weights_only}
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(json.dumps({**text, "callbacks": states}))


def remove(path: str) -> None:
    if os.path.exists(path):
        os.remove(path)


def plain(value: Any, root: Path) -> Any:
    """Values that can be compared, on whichever side they arose."""
    if isinstance(value, Tensor):
        return plain(value.item(), root)
    if isinstance(value, dict):
        return {plain(key, root): plain(item, root) for key, item in value.items()}
    if isinstance(value, str | os.PathLike):
        return str(value).replace(str(root), "ROOT")
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def files(root: Path) -> dict[str, str]:
    """Everything in a folder: contents, and where links point to."""
    return {
        str(path.relative_to(root)): "-> " + os.readlink(path) if path.is_symlink() else path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


# ---- runs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Event:
    """A hook that is called, after what the trainer is then."""

    hook: str
    trainer: dict[str, Any] = field(default_factory=dict)
    logged: dict[str, Value] = field(default_factory=dict)
    seconds: float = 0.0  # since the event before
    batch_idx: int = 0
    is_last: bool = False


@dataclass(frozen=True)
class Schedule:
    """How a run goes: epochs, batches, and when it validates."""

    epochs: int
    batches: int
    accumulate: int
    val_batches: list[int]
    check_val_every_n_epoch: int | None
    val_check_interval: float
    sanity_check: bool

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "num_training_batches": self.batches,
            "num_val_batches": self.val_batches,
            "check_val_every_n_epoch": self.check_val_every_n_epoch,
            "val_check_interval": self.val_check_interval,
        }

    def validates_after(self, epoch: int, batch_idx: int) -> bool:
        """Semantics 8.1 and 8.2."""
        every = self.check_val_every_n_epoch
        if not sum(self.val_batches) or (every is not None and (epoch + 1) % every):
            return False
        interval = self.val_check_interval
        every_batches = interval if isinstance(interval, int) else max(1, int(self.batches * interval))
        index = batch_idx + self.batches * epoch if every is None else batch_idx
        return (index + 1) % every_batches == 0


def random_schedule(choose: random.Random) -> Schedule:
    batches = choose.randint(1, 5)
    return Schedule(
        epochs=choose.randint(1, 4),
        batches=batches,
        accumulate=choose.choice([1, 1, 2]),
        val_batches=choose.choice([[2], [1, 3], [2], [], [0]]),
        check_val_every_n_epoch=choose.choice([1, 1, 1, 2, None]),
        val_check_interval=choose.choice([1.0, 1.0, 0.5, 1, min(2, batches)]),
        sanity_check=choose.random() < 0.5,
    )


def events(
    schedule: Schedule, choose: random.Random, log: Callable[[str], dict[str, Value]], first: int = 0
) -> Iterator[Event]:
    """The hooks of a run in order (semantics 18), from epoch `first` on; `log` gives what a stage logs."""
    step = first * math.ceil(schedule.batches / schedule.accumulate)
    yield Event("setup", {"current_epoch": first, "global_step": step})
    if schedule.sanity_check and sum(schedule.val_batches):
        yield Event("on_validation_end", {"sanity_checking": True})
    yield Event("on_train_start", {"sanity_checking": False})
    for epoch in range(first, first + schedule.epochs):
        for batch_idx in range(schedule.batches):
            is_last = batch_idx + 1 == schedule.batches
            step += is_last or (batch_idx + 1) % schedule.accumulate == 0
            now = {"current_epoch": epoch, "global_step": step}
            seconds = choose.choice([0.0, 0.5, 1.0, 3.0])
            yield Event("on_train_batch_end", now, log("train"), seconds, batch_idx, is_last)
            if schedule.validates_after(epoch, batch_idx):
                yield Event("on_validation_end", now, log("val"))
        yield Event("on_train_epoch_end", now, log("epoch"))
    yield Event("on_train_end", {"current_epoch": first + schedule.epochs})


def play(event: Event, callback: Any, trainer: FakeTrainer, clock: Any) -> str:
    """Call the hook; the kind of what it raised, if it did."""
    vars(trainer).update(event.trainer)
    trainer.callback_metrics.update({name: torch.tensor(value) for name, value in event.logged.items()})
    trainer.epoch_loop.batch_progress.is_last_batch = event.is_last
    is_validated = event.hook == "on_validation_end" and not trainer.sanity_checking
    trainer.epoch_loop.val_loop._has_run |= is_validated and trainer.state_fn == "fit"
    clock.now += event.seconds
    model = SimpleNamespace(automatic_optimization=True)
    rest = {
        "setup": ["fit"],
        "on_train_batch_end": [{}, None, event.batch_idx],
        "on_exception": [ValueError("no")],
    }
    try:
        getattr(callback, event.hook)(trainer, model, *rest.get(event.hook, []))
    except Exception as error:  # noqa: BLE001
        return (
            "error" if type(error).__name__ in ("MisconfigurationException", "RuntimeError") else repr(error)
        )
    return ""
