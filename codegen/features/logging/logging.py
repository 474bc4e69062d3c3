"""What `self.log` fills: the values of steps and of epochs, and when each is shown and written (9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...facts.code.stages import STAGES, VALIDATE
from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature
from ..optimization.manual import step_count
from ..validation.sanity_check import checks_sanity


class Logging(NamedTuple):
    """What is logged where, and how much of it is kept."""

    is_called: bool  # `log`, in a loop that there is
    in_training: bool
    training_class: str  # of what keeps them
    in_validation: bool
    current_in_validation: bool  # its values are the model's to read throughout
    current_of_nothing: bool  # the model may read what is logged nowhere
    latest: tuple[str, ...]  # all that keep the latest values, in one dict
    logged: tuple[str, ...]  # the same, as loggers are told it
    shown: tuple[str, ...]  # the same, as a progress bar is
    keeps_latest_alone: bool  # there is but one
    by_step: bool  # values of single steps are written
    by_epoch: bool  # values of a training epoch are written
    keeps_epochs: bool  # some value is kept for an epoch, here or elsewhere
    holder: str  # what holds the logs at hand, as targets of an assignment
    asks_after_runs: bool  # what was logged
    tells_training: bool  # what is logged in training is kept in another way than elsewhere
    hides: bool  # some values are not written
    shows_bar_values: bool
    step_due: str  # a condition for writing a step's values
    shows_validation: bool  # in one line with the training
    steps: str  # the variable that counts the steps under which values are logged
    told: str  # the attribute that tells of a batch, for its weight in means; empty: none
    batch: str  # its value
    told_between: bool  # batches, that there is none
    keeps_latest: bool
    tries_several: bool  # loaders before training, of which nothing is told
    hidden_steps: str  # what writers are told of a single step of an evaluation
    # what of the runtime's Logs this script needs
    unused_options: Mapping[str, str]  # options of record that no call passes, with their defaults
    absent: Mapping[str, str]  # attributes that never change, with the value that they have throughout
    absent_types: frozenset[str]  # types of which there are no values
    absent_collections: frozenset[str]  # the same of what several are logged of at once
    present: Mapping[str, str]  # attributes that are never None, with the values that they begin with


def logging(facts: Facts) -> Logging:
    """What is logged where."""
    logged, hides = facts.logging, "logger" not in facts.logging.unused_options
    holders = _holders(facts)
    latest = _latest(facts, holders) if facts.keeps_latest else ()
    told, batch = (facts.logged_batch if logged.in_training else None) or ("", "")
    in_validation = logged.in_validation and facts.has_validation
    return Logging(
        is_called=facts.logs_somewhere,
        in_training=logged.in_training,
        training_class="MicrobatchLogs" if facts.microbatch else "Logs",
        in_validation=in_validation,
        current_in_validation=facts.reads_callback_metrics and not logged.in_training and in_validation,
        current_of_nothing=holders == ["model.current_logs"],
        latest=latest if len(latest) > 1 else (),
        logged=_shared(holders, "logged") if facts.keeps_logged else (),
        shown=_shared(holders, "shown") if facts.keeps_shown else (),
        keeps_latest_alone=facts.keeps_latest and not holders and bool(latest),
        by_step=logs_by_step(facts),
        by_epoch=logged.by_epoch,
        keeps_epochs=keeps_epochs(facts),
        holder=("trainer.logs = " if facts.keeps_logs_apart else "") + "model.current_logs = ",
        asks_after_runs=facts.asks_after_runs,
        tells_training=tells_training(facts),
        hides=hides,
        shows_bar_values=_shows_bar_values(facts),
        step_due=_step_due(facts),
        shows_validation=shows_together(facts),
        steps=step_count(facts),
        told=told,
        batch=batch,
        told_between=bool(told) and (logged.between_batches or facts.reads_callback_metrics),
        keeps_latest=facts.keeps_latest,
        tries_several=in_validation and tries_several(facts),
        hidden_steps="logs.written(logs.step_values)" if hides else "logs.step_values",
        unused_options=logged.unused_options,
        absent=_absent(facts),
        absent_types=frozenset() if logged.has_metric_objects else frozenset({"Metric"}),
        absent_collections=frozenset() if _may_log_collections(facts) else frozenset({COLLECTION}),
        present=_present(facts),
    )


COLLECTION = "MetricCollection"


def _may_log_collections(facts: Facts) -> bool:
    """Whether metrics may be logged as one, which the code makes, or a module that stays an import."""
    makes = COLLECTION in facts.project.source.text or facts.project.imports_own
    return facts.logging.has_metric_objects and makes


def _holders(facts: Facts) -> list[str]:
    """What keeps values."""
    logged = facts.logging
    held = {"train_logs": logged.in_training, "val_logs": logged.in_validation and facts.has_validation}
    holders = [name for name, is_held in held.items() if is_held]
    return holders or (["model.current_logs"] if facts.reads_callback_metrics else [])


def _latest(facts: Facts, holders: list[str]) -> tuple[str, ...]:
    saved = facts.writes_last or facts.dumps
    is_named = saved or facts.watches_metric or checks_sanity(facts)
    return (*(["latest"] if is_named else []), *(f"{holder}.latest" for holder in reversed(holders)))


def _shared(holders: list[str], name: str) -> tuple[str, ...]:
    """What keeps values in one dict, where there are several."""
    return tuple(f"{holder}.{name}" for holder in reversed(holders)) if len(holders) > 1 else ()


def _step_due(facts: Facts) -> str:
    due = f"{step_count(facts)} % config.log_every_n_steps == 0"
    if facts.stops_in_batches or facts.may_outlive_stop:
        due = f"({due} or trainer.should_stop)"
    return f"is_last and {due}" if facts.accumulates else due


def logs_by_step(facts: Facts) -> bool:
    """Whether values of single steps are written or shown."""
    shown = facts.writers or (facts.shows_bar and facts.logging.shows_in_bar)
    return facts.logging.by_step and facts.settings.log_every_n_steps > 0 and bool(shown)


def keeps_epochs(facts: Facts) -> bool:
    """Whether values are reduced over an epoch: else each that is logged is a single step's of training."""
    logged = facts.logging
    return logged.keeps_epochs or logged.has_metric_objects or _evaluates(facts)


def tells_training(facts: Facts) -> bool:
    """Whether it matters if a value is logged in training or elsewhere: single steps are kept in training."""
    return facts.logging.keeps_steps and _evaluates(facts)


def _evaluates(facts: Facts) -> bool:
    """Whether something is logged beside the training, of this model or of another."""
    validates = facts.logging.in_validation and any(each.has_validation for each in facts.everyone)
    return validates or any(each.evaluations for each in facts.everyone)


def shows_together(facts: Facts) -> bool:
    """Whether an epoch's values of training and of validation are shown in one line."""
    logged = facts.logging
    every_epoch = facts.validates_before_epoch_ends
    return every_epoch and logged.in_validation and logged.in_training and logged.by_epoch


def tells_each_loader(facts: Facts) -> bool:
    """Whether code may ask what is logged where values of several loaders are told apart."""
    return facts.reads_callback_metrics and facts.logs_of_several


def tries_several(facts: Facts) -> bool:
    """Whether code may ask what is logged where validation is tried over several loaders."""
    return facts.reads_callback_metrics and facts.has_several(VALIDATE) and checks_sanity(facts)


def _shows_bar_values(facts: Facts) -> bool:
    return facts.shows_bar and facts.logging.shows_in_bar and logs_by_step(facts)


# ---- what the runtime's Logs can do without --------------------------------------------------------------


def _absent(facts: Facts) -> dict[str, str]:
    logged = facts.logging
    is_read = facts.reads_callback_metrics or facts.logs_of_several
    keeps_bar = _shows_bar_values(facts) or facts.keeps_shown
    known = {
        "keeps_steps": logged.keeps_steps,
        "keeps_epochs": keeps_epochs(facts),
        "forks": logged.twofold,
        "is_read": is_read,
        "hides": "logger" not in logged.unused_options,
        "syncs_steps": logged.syncs_steps,
        "may_change": facts.logged_may_change,
        "keeps_objects": logged.has_metric_objects or "reduce_fx" not in logged.unused_options,
        "replaces": logged.replaces,
        "hides_some": logged.differs("logger", True),
        "shows_some": keeps_bar and logged.differs("prog_bar", False),
        "syncs_some": logged.differs("sync_dist", False),
    }
    unless = {
        "step_values": ("{}", logged.keeps_steps),
        "epoch_values": ("{}", keeps_epochs(facts)),
        "bare_names": ("()", facts.keeps_latest and logged.twofold),
        "synced": ("()", "sync_dist" not in logged.unused_options),
        "in_bar": ("()", keeps_bar),
        "hidden": ("()", "logger" not in logged.unused_options),
        "metrics": ("()", logged.has_metric_objects),
        "latest": ("()", facts.keeps_latest),
        "logged": ("()", facts.keeps_logged),
        "shown": ("()", facts.keeps_shown),
        "computed": ("{}", is_read),
        "dataloader_idx": ("None", facts.logs_of_several),
        "loader_of": ("{}", facts.tells_loaders or tells_each_loader(facts)),
        "is_trial": ("False", tries_several(facts)),
        "logged_between": ("{}", logged.replaces),
        "first_between": ("{}", logged.replaces),
        "batches_written": ("0", facts.writes_validation_steps),
    }
    return {
        **{name: str(value) for name, value in known.items()},
        **_untold(facts),
        **{name: value for name, (value, changes) in unless.items() if not changes},
    }


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


# ---- options, and what the trainer is told ---------------------------------------------------------------


def has_interval(facts: Facts) -> bool:
    """Whether the script asks how often to log."""
    told = "log_every_n_steps" in facts.trainer_fields and facts.is_expression("log_every_n_steps")
    return logs_by_step(facts) or told


def _config(facts: Facts) -> Iterator[ConfigField]:
    if has_interval(facts):
        steps = str(facts.settings.log_every_n_steps)
        for_none = steps if facts.is_expression("log_every_n_steps") else ""
        yield ConfigField("log_every_n_steps", "int", steps, for_none=for_none)


def _trainer(facts: Facts) -> Mapping[str, str]:
    interval = "config.log_every_n_steps" if has_interval(facts) else str(facts.settings.log_every_n_steps)
    return {"log_every_n_steps": interval}


LOGGING = Feature(
    "logging",
    logging,
    ("What is logged is kept, and written.", "log"),
    {
        "by_step": ("Values of single steps are logged.", "log"),
        "step_due": ("Values of steps are written every so often.", "setting log_every_n_steps"),
        "by_epoch": ("Values are logged for whole epochs.", "log"),
        "keeps_epochs": ("Values are logged for whole epochs.", "log"),
        "in_validation": ("The validation logs.", "method validation_step"),
        "told": ("Means over batches weigh each by its size.", "log"),
        "told_between": ("What is logged for an epoch is complete.", "log"),
        "shows_bar_values": ("Values are shown in the progress bar.", "log"),
    },
    _config,
    _trainer,
)
