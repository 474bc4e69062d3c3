"""How long training goes on: `max_epochs`, `max_steps` (1.2, 13.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ...spec.trainer_settings import MAX_EPOCHS
from ..feature import Feature
from ..optimization.accumulation import COUNT, steps_of


class Length(NamedTuple):
    """The epochs and the optimizer steps."""

    epochs: str  # that there are
    left: str  # the same, or nothing where a run that goes on has trained enough
    goes_on: bool  # a trainer that fits again may have
    may_be_endless: bool  # as the command line says
    steps_reached: str  # a condition; empty: steps are not limited
    nothing_left: str  # the same before an epoch, of which the end may be left
    asks_place: bool  # whether some is left, which is known once the run is where it goes on from
    may_be_none: bool  # the settings may ask for no training
    has_batches: str  # a condition; empty: nothing may say that nothing is trained on

    def iterated(self, may_be_over: bool) -> str:
        """The same epochs; where there may be none left they have a name."""
        epochs = "epochs" if may_be_over else self.epochs
        return f"{epochs} if {self.has_batches} else ()" if self.has_batches else epochs

    def trains(self, may_be_over: bool) -> str:
        """A condition; empty: something is trained in any case."""
        return " and ".join(filter(None, (self.has_batches, "epochs" if may_be_over else "")))

    @property
    def endless(self) -> str:
        """A comment."""
        return "  # -1: no end" if self.may_be_endless else ""


def length(facts: Facts) -> Length:
    """How long training goes on."""
    steps_reached = facts.steps_reached if facts.has_max_steps else ""
    epochs = _epochs(facts)
    nothing_left = f"{steps_reached} and not place" if facts.may_end_epoch_alone else steps_reached
    is_over = [nothing_left] if steps_reached else []
    is_over += [facts.stop_condition("first_epoch")] if facts.may_stop_before_training else []
    return Length(
        epochs=epochs,
        left=f"() if {_any_of(is_over)} else {epochs}" if is_over else epochs,
        goes_on=facts.own_main is not None and facts.own_main.goes_on,
        may_be_endless=_is_counted(facts) and has_max_epochs(facts),
        steps_reached=steps_reached,
        nothing_left=nothing_left,
        asks_place=facts.may_end_epoch_alone,
        may_be_none=facts.is_expression("max_steps") or facts.settings.max_steps == 0,
        has_batches="num_batches" if facts.may_read_none else "",
    )


def _any_of(conditions: list[str]) -> str:
    if len(conditions) == 1:
        return conditions[0]
    return " or ".join(f"({each})" if " and " in each else each for each in conditions)


def has_max_epochs(facts: Facts) -> bool:
    """Whether the number of epochs is limited."""
    epochs = facts.settings.max_epochs
    return epochs != -1 and not (epochs is None and (facts.has_max_steps or facts.limits_time))


def _has_open_end(facts: Facts) -> bool:
    """Whether the number of epochs is known only when the script runs."""
    others_open = facts.is_expression("max_steps") or facts.is_expression("max_time")
    return facts.is_expression("max_epochs") or (facts.settings.max_epochs is None and others_open)


def _end_of_training(facts: Facts) -> str:
    """The limits of epochs and of steps, as arguments."""
    epochs = "config.max_epochs" if has_max_epochs(facts) else str(facts.settings.max_epochs)
    if facts.settings.max_epochs is None and facts.is_expression("max_time"):
        epochs = "None if config.max_time is None else -1"
    return f"{epochs}, config.max_steps" if facts.has_max_steps else epochs


def _epochs(facts: Facts) -> str:
    if facts.callbacks.averages_late:
        return "epochs_from(first_epoch, trainer.max_epochs)"  # which may become one more
    if _has_open_end(facts) and not _is_counted(facts):
        function = "epochs_beside_steps" if facts.has_max_steps else "epochs_from"
        return f"{function}(first_epoch, {_end_of_training(facts)})"
    if has_max_epochs(facts):
        return f"range(first_epoch, config.max_epochs{' % 2**31' if _is_counted(facts) else ''})"
    return "itertools.count(first_epoch)"


def _is_counted(facts: Facts) -> bool:
    """Whether the end is a number of epochs that is an option, or that the main passes as one."""
    if facts.own_main is None:
        return True
    others_open = facts.has_max_steps or facts.is_expression("max_time")
    return facts.is_expression("max_epochs") and not others_open and facts.counts_epochs


def stepping_batches(facts: Facts) -> str:
    """The number of optimizer steps that there will be (2.9)."""
    if not has_max_epochs(facts) and not _has_open_end(facts):
        return _steps_without_end(facts)
    if _has_open_end(facts) or facts.is_expression("max_steps") or facts.limits_stream:
        return f"all_steps({_steps_per_epoch(facts)}, {_end_of_training(facts)})"
    if not facts.is_sized:
        return "config.max_steps" if facts.has_max_steps else "-1"  # as Lightning has it
    total = f"{_steps_per_epoch(facts)} * config.max_epochs"
    return f"min({total}, config.max_steps)" if facts.has_max_steps else total


def _steps_per_epoch(facts: Facts) -> str:
    if facts.limits_stream and facts.sets_accumulation:
        return f"steps_of(num_batches, {COUNT})"
    return steps_of(facts, "num_batches") if facts.is_sized or facts.limits_stream else "math.inf"


def _steps_without_end(facts: Facts) -> str:
    """The same, where epochs set no limit to it."""
    if facts.is_expression("max_steps"):
        return "all_steps(0, -1, config.max_steps)"
    return "config.max_steps" if facts.has_max_steps else 'float("inf")'


# ---- options, and what the trainer is told ---------------------------------------------------------------


def _config(facts: Facts) -> Iterator[ConfigField]:
    if has_max_epochs(facts):
        yield _epochs_field(facts)
    if facts.has_max_steps:
        steps = "-1" if facts.is_expression("max_steps") else str(facts.settings.max_steps)
        yield ConfigField("max_steps", "int", steps, "optimizer steps, over all epochs")


def _epochs_field(facts: Facts) -> ConfigField:
    epochs = facts.settings.max_epochs
    if not facts.is_expression("max_epochs"):
        return ConfigField("max_epochs", "int", str(MAX_EPOCHS if epochs is None else epochs))
    if facts.has_max_steps:
        return ConfigField("max_epochs", "int | None", "None")
    return ConfigField("max_epochs", "int", str(MAX_EPOCHS))


def _trainer(facts: Facts) -> Mapping[str, str]:
    steps = "config.max_steps" if facts.has_max_steps else "-1"
    return {"max_epochs": _told_epochs(facts), "max_steps": steps}


def _told_epochs(facts: Facts) -> str:
    if not has_max_epochs(facts):
        return _end_beside_limits(facts) if _has_open_end(facts) else "-1"
    if facts.is_expression("max_epochs") and facts.has_max_steps:
        return "-1 if config.max_epochs is None else config.max_epochs"
    return "config.max_epochs"


def _end_beside_limits(facts: Facts) -> str:
    """The number of epochs, where another limit may set the end."""
    open_ = {"max_steps": "config.max_steps == -1", "max_time": "config.max_time is None"}
    unset = " and ".join(code for name, code in open_.items() if facts.is_expression(name))
    return f"{MAX_EPOCHS} if {unset} else -1"


LENGTH = Feature(
    "length",
    length,
    ("Training ends after so many optimizer steps.", "setting max_steps"),
    {
        "iterated": ("As many epochs as the Trainer is told.", "setting max_epochs"),
        "left": ("A run that goes on may have trained as many epochs as it is told.", "setting max_epochs"),
    },
    _config,
    _trainer,
)
