"""Optimizers as they are returned, and when schedulers step: as in Lightning's own code (semantics 6 and 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import lightning as L
import pytest
import torch
from ddpgen.strategies.distributed.ranks import Ranks
from ddpgen.strategies.loop.optimizers import (
    PreparedOptimizer,
    Schedule,
    loss_of,
    monitored,
    optimized_parameters,
    read_optimizers,
    step_on_plateau,
    step_outputs,
    step_scheduler,
    step_schedules,
    use_fused,
)
from lightning.pytorch.core.optimizer import _configure_optimizers, _configure_schedulers_automatic_opt
from lightning.pytorch.loops.training_epoch_loop import _TrainingEpochLoop
from lightning.pytorch.profilers import PassThroughProfiler
from lightning.pytorch.utilities.exceptions import MisconfigurationException
from lightning.pytorch.utilities.types import LRSchedulerConfig
from torch import Tensor, nn
from torch.optim import SGD, Adam, Optimizer
from torch.optim.lr_scheduler import CosineAnnealingLR, ReduceLROnPlateau, StepLR

ALONE = Ranks(rank=0, local_rank=0, world_size=1)
PAIR = Ranks(rank=1, local_rank=1, world_size=2)

pytestmark = pytest.mark.filterwarnings("ignore")  # Lightning's, on what is unusual in a form


def new_optimizer() -> Optimizer:
    return SGD([nn.Parameter(torch.zeros(1))], lr=1.0)


def lightnings(configured: Any) -> tuple[Any, list[LRSchedulerConfig]]:
    """What Lightning's Trainer makes of it."""
    (optimizer,), schedulers, monitor = _configure_optimizers(configured)
    return optimizer, _configure_schedulers_automatic_opt(schedulers, monitor)


def assert_read_alike(make: Callable[[Optimizer], Any]) -> None:
    """`make` is called twice, because Lightning adds to the dicts that it is given."""
    ours, theirs = new_optimizer(), new_optimizer()
    optimizer, schedules = read_optimizers(make(ours))
    _, configs = lightnings(make(theirs))
    assert optimizer is ours
    assert len(schedules) == len(configs)
    for schedule, config in zip(schedules, configs, strict=True):
        assert type(schedule.scheduler) is type(config.scheduler)
        assert schedule.scheduler.optimizer is ours
        names = [field.name for field in fields(config) if field.name != "scheduler"]
        assert {name: getattr(schedule, name) for name in names} == {
            name: getattr(config, name) for name in names
        }


def step_lr(optimizer: Optimizer) -> StepLR:
    return StepLR(optimizer, 1)


FORMS: dict[str, Callable[[Optimizer], Any]] = {
    "an optimizer": lambda o: o,
    "a list of one": lambda o: [o],
    "a tuple of one": lambda o: (o,),
    "two lists": lambda o: ([o], [step_lr(o)]),
    "a list of two lists": lambda o: [[o], [step_lr(o)]],
    "no schedulers": lambda o: ([o], []),
    "a scheduler without a list": lambda o: ([o], step_lr(o)),
    "a scheduler's dict without a list": lambda o: ([o], {"scheduler": step_lr(o), "interval": "step"}),
    "two schedulers": lambda o: ([o], [step_lr(o), CosineAnnealingLR(o, 3)]),
    "lists with dicts": lambda o: (
        [o],
        [{"scheduler": step_lr(o), "interval": "step", "frequency": 3, "name": "rate", "strict": False}],
    ),
    "lists with a plateau": lambda o: (
        [o],
        [{"scheduler": ReduceLROnPlateau(o), "monitor": "loss", "interval": "step"}],
    ),
    "a dict": lambda o: {"optimizer": o},
    "a dict with a scheduler": lambda o: {"optimizer": o, "lr_scheduler": step_lr(o)},
    "a dict with a monitor for no one": lambda o: {
        "optimizer": o,
        "lr_scheduler": step_lr(o),
        "monitor": "loss",
    },
    "a dict with a plateau": lambda o: {
        "optimizer": o,
        "lr_scheduler": ReduceLROnPlateau(o),
        "monitor": "loss",
    },
    "a dict in a dict": lambda o: {"optimizer": o, "lr_scheduler": {"scheduler": step_lr(o), "frequency": 2}},
    "a plateau in a dict": lambda o: {
        "optimizer": o,
        "lr_scheduler": {"scheduler": ReduceLROnPlateau(o), "monitor": "loss", "strict": False},
    },
    "a plateau of one's own": lambda o: {
        "optimizer": o,
        "lr_scheduler": {"scheduler": step_lr(o), "monitor": "loss", "reduce_on_plateau": True},
    },
    "a plateau that is none": lambda o: {
        "optimizer": o,
        "lr_scheduler": {"scheduler": ReduceLROnPlateau(o), "reduce_on_plateau": False},
    },
    "a list of one dict": lambda o: [{"optimizer": o, "lr_scheduler": step_lr(o)}],
    "a tuple of one dict": lambda o: ({"optimizer": o, "lr_scheduler": {"scheduler": step_lr(o)}},),
    "a dict with unknown keys": lambda o: {"optimizer": o, "lr_scheduler": step_lr(o), "frequency": 4},
}


@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_every_form_is_read_as_lightning_reads_it(make: Callable[[Optimizer], Any]) -> None:
    """Semantics 7.1."""
    assert_read_alike(make)


REFUSED: dict[str, Callable[[Optimizer], Any]] = {
    "two optimizers": lambda o: [o, new_optimizer()],
    "two optimizers in a list": lambda o: ([o, new_optimizer()], []),
    "two dicts": lambda o: [{"optimizer": o}, {"optimizer": new_optimizer()}],
    "a plateau without monitor": lambda o: {"optimizer": o, "lr_scheduler": ReduceLROnPlateau(o)},
    "a plateau's dict without monitor": lambda o: {
        "optimizer": o,
        "lr_scheduler": {"scheduler": ReduceLROnPlateau(o)},
        "monitor": "loss",
    },
    "a list's plateau without monitor": lambda o: ([o], [ReduceLROnPlateau(o)]),
    "a dict without scheduler": lambda o: {"optimizer": o, "lr_scheduler": {"interval": "step"}},
    "a number": lambda o: 7,
    "an optimizer and a list": lambda o: (o, [step_lr(o)]),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_what_lightning_refuses_is_an_error(make: Callable[[Optimizer], Any]) -> None:
    with pytest.raises((TypeError, ValueError, KeyError)):
        read_optimizers(make(new_optimizer()))
    with pytest.raises((MisconfigurationException, ValueError)):  # ValueError: more than our one optimizer
        lightnings(make(new_optimizer()))


def test_unknown_keys_of_a_schedule_are_left_out() -> None:
    assert_read_alike(lambda o: {"optimizer": o, "lr_scheduler": {"scheduler": step_lr(o), "opt_idx": 0}})


def test_an_unknown_interval_is_an_error() -> None:
    def make(optimizer: Optimizer) -> Any:
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": step_lr(optimizer), "interval": "batch"},
        }

    with pytest.raises(MisconfigurationException):
        lightnings(make(new_optimizer()))
    with pytest.raises((TypeError, ValueError)):
        read_optimizers(make(new_optimizer()))


def test_none_is_no_optimizer() -> None:
    """Semantics 6.8: Lightning warns, and trains with an optimizer that does nothing."""
    optimizer, schedules = read_optimizers(None)
    losses: list[Tensor] = []
    optimizer.zero_grad()
    optimizer.step(lambda: losses.append(LOSS) or LOSS)
    assert (losses, schedules) == ([LOSS], [])


def test_reading_leaves_the_users_dict_alone() -> None:
    optimizer = new_optimizer()
    scheduler = {"scheduler": step_lr(optimizer), "interval": "step"}
    configured = {"optimizer": optimizer, "lr_scheduler": scheduler}
    read_optimizers(configured)
    assert configured == {"optimizer": optimizer, "lr_scheduler": scheduler}
    assert list(scheduler) == ["scheduler", "interval"]


# ---- when schedulers step --------------------------------------------------------------------------------


class Noting:
    """A scheduler that notes what it is called with."""

    def __init__(self, name: str, steps: list[Any]) -> None:
        self.name, self.steps = name, steps

    def step(self, *metrics: Any) -> None:
        self.steps.append((self.name, *(float(metric) for metric in metrics)))


def schedule_options() -> Iterator[dict[str, Any]]:
    for interval in ("step", "epoch"):
        for frequency in (1, 2, 3):
            for monitor in (None, "loss", "missing"):
                plateau = (
                    {}
                    if monitor is None
                    else {"monitor": monitor, "reduce_on_plateau": True, "strict": False}
                )
                yield {"interval": interval, "frequency": frequency, **plateau}


def lightnings_steps(metrics: dict[str, Tensor]) -> list[Any]:
    """The steps in three epochs of four batches, each way of asking in its turn."""
    steps: list[Any] = []
    configs = [
        LRSchedulerConfig(Noting(str(options), steps), **options)  # type: ignore[arg-type]
        for options in schedule_options()
    ]
    trainer = SimpleNamespace(
        lr_scheduler_configs=configs,
        lightning_module=L.LightningModule(),
        callback_metrics=metrics,
        profiler=PassThroughProfiler(),
        current_epoch=0,
    )
    progress = SimpleNamespace(increment_ready=lambda: None, increment_completed=lambda: None)
    loop: Any = SimpleNamespace(
        trainer=trainer, batch_idx=0, scheduler_progress=progress, _get_monitor_value=metrics.get
    )
    for epoch in range(3):
        trainer.current_epoch = epoch
        for batch_idx in range(4):
            loop.batch_idx = batch_idx
            for on_plateau in (False, True):
                _TrainingEpochLoop._update_learning_rates(loop, "step", update_plateau_schedulers=on_plateau)
        for on_plateau in (False, True):
            _TrainingEpochLoop._update_learning_rates(loop, "epoch", update_plateau_schedulers=on_plateau)
    return steps


@pytest.mark.parametrize("take_step", [step_scheduler, L.LightningModule().lr_scheduler_step])
def test_schedulers_step_when_lightnings_do(take_step: Callable[[Any, Tensor | None], None]) -> None:
    """Semantics 7.2 to 7.5: frequencies count batches within the epoch, and epochs."""
    metrics = {"loss": torch.tensor(0.5)}
    steps: list[Any] = []
    schedules = [Schedule(Noting(str(options), steps), **options) for options in schedule_options()]
    for epoch in range(3):
        for batch_idx in range(4):
            step_schedules(schedules, "step", batch_idx, take_step)
            step_on_plateau(schedules, "step", batch_idx, metrics, take_step)
        step_schedules(schedules, "epoch", epoch, take_step)
        step_on_plateau(schedules, "epoch", epoch, metrics, take_step)
    assert len(steps) > 40
    assert steps == lightnings_steps(metrics)


def test_a_plateau_sees_the_metric() -> None:
    optimizer = new_optimizer()
    _, schedules = read_optimizers(
        {"optimizer": optimizer, "lr_scheduler": ReduceLROnPlateau(optimizer, patience=0), "monitor": "loss"}
    )
    for epoch, loss in enumerate([1.0, 2.0]):
        step_on_plateau(schedules, "epoch", epoch, {"loss": torch.tensor(loss)}, step_scheduler)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.1)


def test_a_metric_that_is_missing_is_an_error_that_names_it_and_what_there_is() -> None:
    schedule = Schedule(Noting("x", []), monitor="val_loss", reduce_on_plateau=True)
    with pytest.raises(KeyError, match="monitors 'val_loss', but what was logged is acc, loss"):
        step_on_plateau(
            [schedule], "epoch", 0, {"loss": torch.ones(()), "acc": torch.ones(())}, step_scheduler
        )


def test_a_missing_metric_may_be_tolerated() -> None:
    steps: list[Any] = []
    schedule = Schedule(Noting("x", steps), monitor="val_loss", reduce_on_plateau=True, strict=False)
    step_on_plateau([schedule], "epoch", 0, {}, step_scheduler)
    assert steps == []


def test_monitored_gives_the_value() -> None:
    value = torch.tensor(3.0)
    assert monitored({"loss": value}, "loss") is value


# ---- optimizers and losses -------------------------------------------------------------------------------


def test_optimized_parameters_are_those_of_all_groups_in_order() -> None:
    parameters = [nn.Parameter(torch.zeros(size)) for size in (1, 2, 3)]
    optimizer = SGD([{"params": parameters[2:]}, {"params": parameters[:2], "lr": 0.5}], lr=1.0)
    assert [len(parameter) for parameter in optimized_parameters(optimizer)] == [3, 1, 2]
    assert optimized_parameters(optimizer)[0] is parameters[2]


@pytest.mark.parametrize("kind", [Adam, torch.optim.AdamW, SGD])
def test_use_fused_takes_the_fused_kernel_and_about_the_same_step(kind: Any) -> None:
    results = []
    for fused in (False, True):
        parameter = nn.Parameter(torch.arange(4.0))
        optimizer = kind([{"params": [parameter]}], lr=0.1)
        if fused:
            use_fused(optimizer)
            assert [(group["fused"], group["foreach"]) for group in optimizer.param_groups] == [(True, False)]
        parameter.grad = torch.linspace(-1, 1, 4)
        optimizer.step()
        results.append(parameter.detach())
    torch.testing.assert_close(*results)
    assert not torch.equal(results[1], torch.arange(4.0))


class Noted:
    """Stands for an optimizer whose steps call the closure, or do not."""

    lr = 0.5

    def __init__(self, events: list[str], calls: int) -> None:
        self.events, self.calls = events, calls

    def step(self, closure: Callable[[], Any]) -> Any:
        results = [closure() for _ in range(self.calls)]
        self.events.append("update")
        return results[-1] if results else None


@pytest.mark.parametrize("calls", [0, 1, 3])
def test_gradients_are_prepared_within_the_step_as_often_as_they_are_made(calls: int) -> None:
    """Semantics 6.5: the precision plugin's `_wrap_closure`."""
    events: list[str] = []
    prepared = PreparedOptimizer(Noted(events, calls), lambda: events.append("prepare"))

    def closure() -> str:
        events.append("backward")
        return "loss"

    closure()  # by itself: nothing is prepared
    assert prepared.step(closure) == ("loss" if calls else None)
    assert events == ["backward", *["backward", "prepare"] * calls, "update"]


def test_a_step_without_a_closure_prepares_the_gradients_too() -> None:
    events: list[str] = []
    prepared = PreparedOptimizer(Noted(events, 1), lambda: events.append("prepare"))
    prepared.step()
    assert events == ["prepare", "update"]
    assert prepared.lr == 0.5


LOSS = torch.tensor(2.0)


@pytest.mark.parametrize(
    "output", [LOSS, {"loss": LOSS, "logits": torch.ones(3)}], ids=["a tensor", "a dict"]
)
@pytest.mark.parametrize("ranks", [ALONE, PAIR])
def test_loss_of(output: Any, ranks: Ranks) -> None:
    assert loss_of(output, ranks) is LOSS


@pytest.mark.parametrize("output", [None, {"loss": None}])
def test_no_loss_skips_the_batch_in_one_process_and_is_an_error_in_several(output: Any) -> None:
    """Semantics 6.7."""
    assert loss_of(output, ALONE) is None
    with pytest.raises(RuntimeError, match="training_step returned None: with several ranks every one must"):
        loss_of(output, PAIR)


def test_a_dict_without_loss_is_an_error() -> None:
    with pytest.raises(KeyError):
        loss_of({"logits": LOSS}, ALONE)


def test_step_outputs_are_what_the_hook_is_told() -> None:
    """Semantics 5.8: the loss detached and already divided, what else the step returned, and nothing for None."""
    divided = torch.ones((), requires_grad=True) / 2
    told = step_outputs({"loss": LOSS, "logits": LOSS}, divided)
    assert (told["loss"].item(), told["loss"].requires_grad) == (0.5, False)
    assert told["logits"] is LOSS
    assert list(step_outputs(LOSS, LOSS)) == ["loss"]
    assert step_outputs(None, None) == step_outputs({"loss": None}, None) == {}
