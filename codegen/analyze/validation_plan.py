"""The plan of validation."""

from __future__ import annotations

from ..ir.plans import Lines, PassPlan, ValidationPlan
from .data import LoaderFacts
from .evaluation_loaders import limit_of, names_of, set_epoch_lines
from .facts import Facts
from .optimizers import indented
from .passes import in_stage, pass_plan
from .stages import VALIDATE
from .validation_call import (
    arguments,
    log_step,
    logger_arguments,
    parameters,
    val_batches,
    write_inside,
    write_steps,
)
from .validation_due import conditions, interval_lines, is_due
from .validation_loader import val_loader_lines


def validation_plan(facts: Facts) -> ValidationPlan | None:
    """The plan of validation; None: there is none."""
    if not facts.has_validation or facts.val is None:
        return None
    variable, each = names_of(facts, VALIDATE, "val_loader")
    limit = limit_of(facts, VALIDATE, facts.val, each)
    return ValidationPlan(
        parameters=parameters(facts),
        loader=val_loader_lines(facts, facts.val),
        run=_run(facts, facts.val, limit),
        writes_inside=bool(write_inside(facts)),
        arguments=arguments(facts, val_batches(facts, limit)) + logger_arguments(facts),
        is_due=is_due(facts),
        interval=interval_lines(facts),
        due_after=" and ".join(conditions(facts)) or None,
        shows_with_training=_shows_together(facts),
        set_epoch=set_epoch_lines(facts, VALIDATE, facts.val, variable, "epoch"),
        swaps_logs=facts.logging.in_validation and facts.logging.in_training,
        sets_logs=facts.logging.in_validation and not facts.logging.in_training,
        before=(*_before_validation(facts), *in_stage(facts, "validate")),
        after=in_stage(facts, "train"),
        log_step=log_step(facts),
    )


def _run(facts: Facts, loader: LoaderFacts, limit: str | None) -> PassPlan:
    batches = "lookahead(loader)" if loader.dataset == "unsized" and not limit else "loader"
    if facts.has_several(VALIDATE):
        batches = "itertools.islice(loader, limits[dataloader_idx])"
    return pass_plan(
        facts,
        VALIDATE,
        called="step" if facts.wraps_steps else "model.validation_step",
        evaluated="step" if facts.wraps_steps else "model",
        batches=batches,
        outputs="outputs" if facts.calls("on_validation_batch_end") else None,
        after_batch=write_steps(facts),
        logs=facts.logging.in_validation,
        write=write_inside(facts),
    )


def _shows_together(facts: Facts) -> bool:
    logged = facts.logging
    every_epoch = facts.settings.check_val_every_n_epoch == 1 and not facts.validates_inside
    every_epoch = every_epoch and not facts.is_expression("limit_val_batches")
    return every_epoch and logged.in_validation and logged.in_training and logged.by_epoch


def _before_validation(facts: Facts) -> Lines:
    """Gradients, which validation needs no memory for."""
    lines: Lines = ("model.zero_grad()",)
    inside = facts.validates_inside and facts.accumulates
    return ("if is_last:", *indented(lines)) if inside else lines
