"""Validation: `validation_step`, `val_dataloader`, `limit_val_batches` (8.3, 8.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.code.stages import VALIDATE
from ...facts.data.loaders import LoaderFacts
from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..data.data_pass import Pass, data_pass
from ..data.limits import limit_field
from ..data.loaders import (
    StageLoader,
    limit_of,
    names_of,
    stage_loader,
    told_counts,
    told_loaders,
    validated_batches,
    validation_given,
)
from ..data.reloading import reloading
from ..feature import Feature
from ..logging.logging import shows_together
from ..optimization.manual import step_count
from .validation_timing import falls_between_steps
from .when_made import WhenMade, loader_begins_as_none, when_made


class Validation(NamedTuple):
    """How the validation data is run through the model."""

    loader: StageLoader
    given: str  # whether there is one; empty: there is
    begins_as_none: bool  # as it may never be made, or late
    is_of_some: bool  # models: others have no step for it
    made: WhenMade
    remade: str  # when it is made anew, as a condition; empty: never
    computes_loader: bool  # the hook may do more than make it
    told_if: str  # as Lightning makes no loader of which it reads nothing; empty: it reads some
    told_loaders: str  # empty: they are told as they are made
    told_counts: str  # the numbers of batches
    run: Pass
    kept_limit: (
        str  # which the trainer still has to have as the data is made, or made anew; empty: any will do
    )
    batches: str
    is_nothing: str  # a condition, for which the data has no batches; empty: it has, or none of it shows
    takes_data: bool  # for its hooks
    takes_loggers: bool
    loggers: str  # that it is given
    writes_inside: bool  # what was logged, while it runs
    writes_after: bool
    log_step: str  # the step that its values are logged under
    swaps_logs: bool  # training logs too
    sets_logs: bool
    sets_epoch: bool
    shows_alone: bool
    zero_grad_due: str  # a condition; empty: always
    counts_batches: bool  # that were written, for each loader if there may be several
    counted: str

    @property
    def loader_due(self) -> str:
        """When the loader is made right before a validation, as a condition; empty: it is there."""
        return " or ".join(filter(None, (self.made.late, self.remade)))


def validation(facts: Facts) -> Validation | None:
    """None: there is none."""
    loader, made = facts.val, when_made(facts)
    if made is None or loader is None:
        return None
    variable, each = names_of(facts, VALIDATE, "val_loader")
    limit, may_read_none = limit_of(facts, VALIDATE, loader, each), facts.is_expression("limit_val_batches")
    logged, several = facts.logging, facts.has_several(VALIDATE)
    inside, together = _writes_inside(facts), shows_together(facts)
    return Validation(
        loader=stage_loader(facts, VALIDATE, loader, variable, not may_read_none),
        given=validation_given(facts),
        begins_as_none=loader_begins_as_none(facts),
        is_of_some=facts.validates_some_models,
        made=made,
        remade=remade.val_due if (remade := reloading(facts)) else "",
        computes_loader=loader.computes,
        told_if="config.limit_val_batches" if may_read_none else "",
        told_loaders=told_loaders(facts, VALIDATE, loader, variable, not may_read_none),
        told_counts=told_counts(facts, VALIDATE, loader, "val_loader"),
        run=_run(facts, loader, limit),
        kept_limit=_kept_limit(facts),
        batches=validated_batches(facts, limit),
        is_nothing=_is_nothing(facts),
        takes_data=facts.transfers_by_data,
        takes_loggers=facts.writes_validation_steps or inside,
        loggers="".join(f"{name}, " for name, _ in facts.writers),
        writes_inside=inside,
        writes_after=logged.in_validation and not inside,
        log_step=_log_step(facts),
        swaps_logs=logged.in_validation and logged.in_training,
        sets_logs=logged.in_validation and not logged.in_training,
        sets_epoch=facts.may_order_by_epoch(loader),
        shows_alone=logged.in_validation and not together,
        zero_grad_due="is_last" if falls_between_steps(facts) else "",
        counts_batches=facts.writes_validation_steps,
        counted="written_of[dataloader_idx]" if several else "batches_written",
    )


def _run(facts: Facts, loader: LoaderFacts, limit: str | None) -> Pass:
    looks_ahead = loader.dataset == "unsized" and not limit
    read = "lookahead({})" if looks_ahead else "{}"
    is_asked = facts.may_validate_nothing and not loader.is_one_of_unknown_length
    if is_asked and not facts.leaves_validation_out:
        read = "{} or []"
    if facts.has_several(VALIDATE):
        read = "itertools.islice({}, limits[dataloader_idx])"
    return data_pass(
        facts,
        VALIDATE,
        called="step" if facts.wraps_validation else "model.validation_step",
        evaluated="step" if facts.wraps_validation else "model",
        batches=read.format,
        keeps_outputs=facts.calls("on_validation_batch_end"),
        logs=facts.logging.in_validation,
        template="validation",
    )


def _kept_limit(facts: Facts) -> str:
    """Lightning counts the batches of the data that it makes, where code may have set another limit by then."""
    is_tried = facts.settings.num_sanity_val_steps != 0 and not facts.is_expression("num_sanity_val_steps")
    is_late = facts.settings.skips_validation and not is_tried
    if not facts.turns_validation_off or not (is_late or reloading(facts)):
        return ""
    is_option = any(limit_field(facts, "limit_val_batches", ""))
    return "config.limit_val_batches" if is_option else str(facts.settings.limit_val_batches)


def _is_nothing(facts: Facts) -> str:
    if not facts.leaves_validation_out:
        return ""
    return "not any(loaders)" if facts.has_several(VALIDATE) else "not loader"


def _writes_inside(facts: Facts) -> bool:
    """Whether the values are written before the last hook, which may be of the user's."""
    return facts.logging.in_validation and bool(facts.writers) and facts.own_code_ends_validation


def _log_step(facts: Facts) -> str:
    if falls_between_steps(facts):
        return "global_step - 1 if is_last else global_step"
    return f"{step_count(facts)} - 1"


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.has_validation or any(each.stage is VALIDATE for each in facts.evaluations):
        yield from limit_field(facts, "limit_val_batches", "a validation")


VALIDATION = Feature(
    "validation",
    validation,
    ("The model has a validation_step.", "method validation_step"),
    {
        "made": ("The validation data.", "loader val_dataloader"),
        "loader": ("The validation data.", "loader val_dataloader"),
        "sets_epoch": ("Samplers give each epoch an order of its own.", "loader val_dataloader"),
        "writes_inside": ("Loggers are told before your hook.", "method on_validation_end"),
        "shows_alone": ("What validation logs is shown.", "log"),
        "writes_after": ("What validation logs is written.", "method validation_step"),
        "swaps_logs": ("The validation logs apart from the training.", "method validation_step"),
    },
    _config,
)
