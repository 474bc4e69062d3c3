"""When validation is due: `check_val_every_n_epoch`, `val_check_interval` (8.1, 8.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..data.loaders import validation_given
from ..data.train_data import last_batch
from ..feature import Feature

EPOCHS = "config.check_val_every_n_epoch"


class ValidationTiming(NamedTuple):
    """When validation is due."""

    inside: bool  # the batch loop
    after: bool  # it
    due: str  # a condition; empty: after every epoch
    interval: str  # batches from one validation to the next; empty: they are not counted within an epoch
    is_too_long: str  # for an epoch, which ends the run: a condition; empty: it is not asked
    counts_batches: bool  # over all epochs, as these may differ in length
    by_time: bool  # validation goes by the clock
    may_be_none: (
        bool  # the epochs between validations, as a run may be told, for which the script is not built
    )


def validation_timing(facts: Facts) -> ValidationTiming | None:
    """None: there is no validation."""
    if not facts.has_validation or facts.val is None:
        return None
    inside, interval = facts.validates_inside, _interval(facts)
    return ValidationTiming(
        inside=inside,
        after=not inside,
        due=" and ".join((*_epochs_due(facts), *([_batch_due(facts)] if inside else []))),
        interval=interval,
        is_too_long=_is_too_long(facts, interval),
        counts_batches=facts.counts_batches,
        by_time=facts.settings.validates_by_time,
        may_be_none=facts.may_be_told_none,
    )


def _epochs_due(facts: Facts) -> Iterator[str]:
    """What has to hold for validation in an epoch."""
    if is_given := validation_given(facts):
        yield is_given
    if facts.is_expression("limit_val_batches"):
        yield "config.limit_val_batches != 0"
    if facts.turns_validation_off:
        yield "trainer.limit_val_batches > 0"
    if facts.settings.skips_validation:
        yield f"(epoch + 1) % {_epochs_between(facts)} == 0"


def validated_by_now(facts: Facts) -> str:
    """Whether the first epoch of a run is validated, or one before it was, as a condition; empty: it is."""
    return f"first_epoch + 1 >= {_epochs_between(facts)}" if facts.settings.skips_validation else ""


def _epochs_between(facts: Facts) -> str:
    """From one with validation to the next; the clock or batches alone may decide."""
    is_by_time = facts.settings.validates_by_time and facts.is_expression("check_val_every_n_epoch")
    return f"({EPOCHS} or 1)" if is_by_time or facts.may_ignore_epochs else EPOCHS


def _batch_due(facts: Facts) -> str:
    """What has to hold for validation after a batch; training that is stopped is validated once more."""
    due = _batches_read(facts)
    if not facts.stops_in_batches:
        return due
    due = f"({due})" if " and " in due else due
    due = f"{due} or {facts.stop_condition('epoch')}"
    return f"({due})" if any(_epochs_due(facts)) else due


def falls_between_steps(facts: Facts) -> bool:
    """Whether a validation may come while gradients are accumulated."""
    is_after_step = facts.validates_over_steps and not facts.stops_in_batches
    is_after_all = is_after_step or _batch_due(facts) == last_batch(facts)
    return facts.validates_inside and facts.accumulates and not is_after_all


def _batches_read(facts: Facts) -> str:
    """Whether so many batches have been read that validation is due."""
    if facts.settings.validates_by_time:
        return "val_clock.is_due()"
    if facts.validates_over_steps:
        due = "global_step % config.val_check_interval == 0"
        return f"is_last and {due}" if facts.accumulates else due
    count, of_epoch = "(epoch * num_batches + batch_idx + 1)", "batch_idx + 1"
    count = "batches_seen" if facts.counts_batches else count
    if facts.settings.validates_over_epochs:
        return f"{count} % config.val_check_interval == 0"
    counted = f"{count} if {EPOCHS} is None else {of_epoch}" if facts.may_ignore_epochs else of_epoch
    due = f"({counted}) % val_interval == 0" if _interval(facts) else last_batch(facts)
    return f'({last_batch(facts)} if val_interval == float("inf") else {due})' if _is_open(facts) else due


def _is_open(facts: Facts) -> bool:
    """Whether a run alone knows if it is a share of a stream, which has no length."""
    return bool(_interval_in_epochs(facts)) and facts.limits_stream and _may_be_share(facts)


def _is_share(interval: float | str) -> bool:
    return type(interval) is float and interval != 1.0


def _may_be_share(facts: Facts) -> bool:
    """Whether the interval may be a part of an epoch, rather than so many batches."""
    if facts.is_expression("val_check_interval"):
        return facts.is_sized or facts.limits_stream
    return _is_share(facts.settings.val_check_interval)


def _interval(facts: Facts) -> str:
    found = _interval_in_epochs(facts)
    if not found or not facts.may_ignore_epochs or not _may_be_share(facts):
        return found
    of_all = "interval_over_epochs(config.val_check_interval, num_batches)"
    return f"{found} if {EPOCHS} is not None else {of_all}"


def _interval_in_epochs(facts: Facts) -> str:
    interval, is_by_time = facts.settings.val_check_interval, facts.settings.validates_by_time
    if not facts.validates_inside or facts.settings.check_val_every_n_epoch is None or is_by_time:
        return ""
    if facts.limits_stream and _may_be_share(facts):
        return "interval_in(train_loader, config.val_check_interval, num_batches)"
    if facts.is_expression("val_check_interval"):
        if not facts.is_sized:
            return "stream_interval(config.val_check_interval)"
        return "validation_interval(config.val_check_interval, num_batches)"
    if type(interval) is int:
        return "config.val_check_interval"
    return "max(1, int(num_batches * config.val_check_interval))" if _is_share(interval) else ""


def _is_too_long(facts: Facts, interval: str) -> str:
    """Whether an epoch has fewer batches, where that has to be asked."""
    is_asked = interval == "config.val_check_interval" and facts.is_sized
    if not is_asked and not (interval and facts.limits_stream and not _is_open(facts)):
        return ""
    counts = f"{EPOCHS} is not None and " if facts.may_ignore_epochs else ""
    return f"{counts}val_interval > num_batches"


def _config(facts: Facts) -> Iterator[ConfigField]:
    if not facts.has_validation:
        return
    epochs, interval = facts.settings.check_val_every_n_epoch, facts.settings.val_check_interval
    if facts.settings.skips_validation:
        is_open = facts.is_expression("check_val_every_n_epoch")
        kind = "int | None" if _epochs_between(facts) != EPOCHS else "int"
        yield ConfigField("check_val_every_n_epoch", kind, "1" if is_open else str(epochs))
    if facts.settings.validates_by_time:
        kind = "timedelta | str | dict[str, int]" if facts.own_main else "str"
        value = f'"{interval}"'
        yield ConfigField("val_check_interval", kind, value, "days:hours:minutes:seconds between validations")
    elif facts.is_expression("val_check_interval"):
        unit = "between validations: a share of an epoch, or batches"
        unit = "optimizer steps from one validation to the next" if facts.validates_over_steps else unit
        yield ConfigField("val_check_interval", "float", "1.0", unit)
    elif type(interval) is int:
        counted = "optimizer steps" if facts.validates_over_steps else "batches"
        unit = f"{counted} from one validation to the next"
        yield ConfigField("val_check_interval", "int", str(interval), unit)
    elif interval != 1.0:
        unit = "of an epoch from one validation to the next"
        yield ConfigField("val_check_interval", "float", str(interval), unit)


def _trainer(facts: Facts) -> Mapping[str, str]:
    in_config = facts.settings.skips_validation and facts.has_validation
    interval = facts.settings.val_check_interval
    is_option = facts.has_validation and not facts.settings.validates_by_time and repr(interval) != "1.0"
    return {
        "check_val_every_n_epoch": EPOCHS if in_config else str(facts.settings.check_val_every_n_epoch),
        "val_check_interval": (
            "config.val_check_interval" if is_option else facts.setting_code("val_check_interval")
        ),
    }


VALIDATION_TIMING = Feature(
    "validation_timing",
    validation_timing,
    ("Validation falls within epochs.", "setting val_check_interval"),
    {
        "due": ("Validation comes when it is due.", "setting check_val_every_n_epoch"),
        "may_be_none": (
            "Batches are not counted over all epochs where the code does not say so.",
            "setting check_val_every_n_epoch",
        ),
        "counts_batches": ("Batches are counted over all epochs.", "setting val_check_interval"),
        "by_time": ("Validation goes by the clock of rank 0.", "setting val_check_interval"),
    },
    _config,
    _trainer,
)
