"""Settings that take the place of others: a run that only tries the code out, and one on the same few batches (1.6)."""

from __future__ import annotations

from typing import Any

from ...spec.trainer_settings import DEFAULTS, EXPRESSIBLE, OF_VALIDATION_TIMING, TrainerSettings

TRIAL = "fast_dev_run"
OVERFITTING = "overfit_batches"
LIMITS = ("limit_train_batches", "limit_val_batches")
"""What `overfit_batches` takes the place of."""


def settings_of_trial(batches: int) -> dict[str, Any]:
    """What holds instead in such a run."""
    limits = ("limit_train_batches", "limit_val_batches", "limit_test_batches", "limit_predict_batches")
    return {
        "max_epochs": 1,
        "max_steps": batches,
        **dict.fromkeys(limits, batches),
        "num_sanity_val_steps": 0,
        **{name: getattr(DEFAULTS, name) for name in OF_VALIDATION_TIMING},
    }


def with_trial(
    chosen: TrainerSettings, expressions: frozenset[str]
) -> tuple[TrainerSettings, frozenset[str]]:
    """The settings, and those that are known only when the script runs, where a run may be such a one."""
    if not chosen.fast_dev_run:
        return chosen, expressions
    replaced = settings_of_trial(int(chosen.fast_dev_run))
    if TRIAL not in expressions:
        return chosen.model_copy(update=replaced), expressions - replaced.keys()
    changed = {name for name, value in replaced.items() if not _is(getattr(chosen, name), value)}
    open_ = (changed | expressions) & replaced.keys()
    return chosen.model_copy(update={name: EXPRESSIBLE[name] for name in open_}), expressions | open_


def with_overfitting(
    chosen: TrainerSettings, expressions: frozenset[str]
) -> tuple[TrainerSettings, frozenset[str]]:
    """The same where a run may go over the same few batches in every epoch."""
    if not chosen.overfit_batches:
        return chosen, expressions
    if OVERFITTING in expressions:
        return chosen.model_copy(update={name: EXPRESSIBLE[name] for name in LIMITS}), expressions | {*LIMITS}
    return chosen.model_copy(update=dict.fromkeys(LIMITS, chosen.overfit_batches)), expressions - {*LIMITS}


def replaced_settings(chosen: TrainerSettings, expressions: frozenset[str]) -> frozenset[str]:
    """Settings in whose place others surely come."""
    found = settings_of_trial(1).keys() if chosen.fast_dev_run and TRIAL not in expressions else ()
    overfits = chosen.overfit_batches and OVERFITTING not in expressions
    return frozenset({*found, *(LIMITS if overfits else ())})


def _is(value: Any, other: Any) -> bool:
    """Whether two settings are one: 1 batch is not 1.0 of them."""
    return type(value) is type(other) and value == other
