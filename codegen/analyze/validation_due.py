"""When validation is due."""

from __future__ import annotations

from ..ir.plans import Lines
from .facts import Facts
from .train_loader import is_last_batch


def conditions(facts: Facts) -> list[str]:
    """What has to hold for validation in an epoch."""
    found = ["config.limit_val_batches != 0"] if facts.is_expression("limit_val_batches") else []
    if (facts.settings.check_val_every_n_epoch or 1) > 1:
        found.append("(epoch + 1) % config.check_val_every_n_epoch == 0")
    return found


def is_due(facts: Facts) -> str | None:
    """The condition for validation within the batch loop; None: it follows that."""
    if not facts.validates_inside:
        return None
    due = _batches_due(facts)
    if facts.stops_in_batches:  # training that is stopped is validated once more
        due = f"{due} or {facts.stop_condition('epoch')}"
        due = f"({due})" if conditions(facts) else due
    return " and ".join((*conditions(facts), due))


def _batches_due(facts: Facts) -> str:
    """Whether so many batches have been read that validation is due."""
    interval = facts.settings.val_check_interval
    if facts.settings.check_val_every_n_epoch is None and type(interval) is int:
        count = "batches_seen" if facts.counts_batches else "(epoch * num_batches + batch_idx + 1)"
        return f"{count} % config.val_check_interval == 0"
    if type(interval) is float and interval == 1.0:
        return is_last_batch(facts)
    return "(batch_idx + 1) % val_interval == 0"


def interval_lines(facts: Facts) -> Lines:
    """The number of batches between validations."""
    interval = facts.settings.val_check_interval
    if facts.settings.check_val_every_n_epoch is None or not facts.validates_inside:
        return ()
    if facts.is_expression("val_check_interval"):
        return ("val_interval = validation_interval(config.val_check_interval, num_batches)",)
    if type(interval) is int:
        return ("val_interval = config.val_check_interval", *_too_few(facts))
    return ("val_interval = max(1, int(num_batches * config.val_check_interval))",) if interval != 1.0 else ()


def _too_few(facts: Facts) -> Lines:
    """An epoch that is known to be shorter than the interval ends the run, as it does Lightning's."""
    if not facts.is_sized:
        return ()
    return (
        "if val_interval > num_batches:",
        '    raise SystemExit(f"an epoch has {num_batches} batches, too few to validate every {val_interval}")',
    )
