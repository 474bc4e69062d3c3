"""What is logged where, and what writes it."""

from __future__ import annotations

from ..ir.plans import LOGS, Lines, LoggingPlan
from ..spec.sections import Logger
from .facts import Facts
from .stages import STAGES
from .validation_loader import checks_sanity


def logging_plan(facts: Facts) -> LoggingPlan:
    """What is logged where, and what writes it."""
    logged = facts.logging
    return LoggingPlan(
        start=_start_lines(facts),
        in_training=logged.in_training,
        in_validation=logged.in_validation and facts.has_validation,
        by_step=logs_by_step(facts),
        by_validation_step=logged.by_validation_step and facts.has_validation,
        by_epoch=logged.by_epoch,
        hides="logger" not in logged.unused_options,
        shows_bar_values=_shows_bar_values(facts),
        begin_batch=_begin_batch(facts),
        end_batches=_end_batches(facts),
        writers=facts.writers,
        drop_rows=() if facts.own_main else drop_rows(facts),
        show="show_above_bar" if facts.shows_bar else "show",
        unused_options=logged.unused_options,
        absent=_absent(facts),
        present=_present(facts),
        absent_types=frozenset() if logged.has_metric_objects else frozenset({"Metric"}),
    )


def drop_rows(facts: Facts) -> Lines:
    """What an earlier run wrote goes; a main of the user's own may have written rows that stay, as it fits twice."""
    drops = facts.logging.logged and Logger.JSONL in facts.writes
    return ("metrics_file.drop_from(first_epoch)",) if drops else ()


def _shows_bar_values(facts: Facts) -> bool:
    return facts.shows_bar and facts.logging.shows_in_bar and logs_by_step(facts)


def _absent(facts: Facts) -> dict[str, str]:
    """Attributes of Logs that never change, with the value that they have throughout."""
    logged = facts.logging
    is_read = facts.reads_callback_metrics or facts.logs_of_several
    known = {"forks": logged.twofold, "is_read": is_read, "syncs_steps": logged.syncs_steps}
    unless = {
        "bare_names": ("()", facts.keeps_latest and logged.twofold),
        "in_bar": ("()", _shows_bar_values(facts)),
        "hidden": ("()", "logger" not in logged.unused_options),
        "metrics": ("()", logged.has_metric_objects),
        "latest": ("()", facts.keeps_latest),
        "computed": ("{}", is_read),
        "dataloader_idx": ("None", facts.logs_of_several),
        "loader_of": ("{}", facts.tells_loaders),
        "batches_written": ("0", logged.by_validation_step),
    }
    return {
        **{name: str(value) for name, value in known.items()},
        **_untold(facts),
        **{name: value for name, (value, changes) in unless.items() if not changes},
    }


def _told_batch(facts: Facts) -> tuple[str, str] | None:
    """The attribute that tells a batch of training, and its value; None: nothing depends on it."""
    return facts.logged_batch if facts.logging.in_training else None


def _begin_batch(facts: Facts) -> Lines:
    told = _told_batch(facts)
    return (f"train_logs.{told[0]} = {told[1]}",) if told else ()


def _end_batches(facts: Facts) -> Lines:
    told = _told_batch(facts)
    if told is None or not (facts.logging.between_batches or facts.reads_callback_metrics):
        return ()
    return (f"train_logs.{told[0]} = None  # between batches, log() is for the epoch",)


def _untold(facts: Facts) -> dict[str, str]:
    """The attributes of Logs that tell no batch, with the value that they have throughout."""
    told = facts.logged_batch
    if told is None:
        return {"batch_size": "1", "batch": "None"}
    return {"batch_size": "None"} if told[0] == "batch" else {"batch": "None"}


def _present(facts: Facts) -> dict[str, str]:
    """Attributes of Logs that are never None, as it is asked for values within batches alone."""
    logged = facts.logging
    around = any(logged.around(stage) for stage in STAGES.values())
    outside = logged.between_batches or around or facts.reads_callback_metrics
    return {} if outside else {"batch_size": "1"}


def logs_by_step(facts: Facts) -> bool:
    shown = facts.writers or (facts.shows_bar and facts.logging.shows_in_bar)
    return facts.logging.by_step and facts.settings.log_every_n_steps > 0 and bool(shown)


def _latest(facts: Facts, holders: list[str]) -> Lines:
    """One dict for all that keep the latest values."""
    saved = facts.writes_last or facts.dumps
    name = ["latest"] if saved or facts.watches_metric or checks_sanity(facts) else []
    if not holders and name:
        return ("latest: dict[str, Tensor] = {}",)
    keepers = [*name, *(f"{holder}.latest" for holder in reversed(holders))]
    return (" = ".join(keepers),) if len(keepers) > 1 else ()


def _start_lines(facts: Facts) -> Lines:
    logged = facts.logging
    lines = []
    holders = []
    if logged.in_training:
        lines.append(f"train_logs = model.{LOGS} = Logs(training=True, device=device)")
        holders.append("train_logs")
    if logged.in_validation and facts.has_validation:
        is_read = facts.reads_callback_metrics and not logged.in_training
        variables = f"val_logs = model.{LOGS}" if is_read else "val_logs"
        lines.append(f"{variables} = Logs(training=False, device=device)")
        holders.append("val_logs")
    if facts.reads_callback_metrics and not lines:  # of nothing
        lines.append(f"model.{LOGS} = Logs(training=True, device=device)")
        holders.append(f"model.{LOGS}")
    return (*lines, *(_latest(facts, holders) if facts.keeps_latest else ()))
