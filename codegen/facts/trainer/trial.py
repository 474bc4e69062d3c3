"""A run that only tries the code out: `fast_dev_run`, which takes the place of other settings (1.6)."""

from __future__ import annotations

from typing import Any

from ...spec.trainer_settings import DEFAULTS, EXPRESSIBLE, OF_VALIDATION_TIMING, TrainerSettings
from . import overfitting

NAME = "fast_dev_run"


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
    if NAME not in expressions:
        return chosen.model_copy(update=replaced), expressions - replaced.keys()
    changed = {name for name, value in replaced.items() if not _is(getattr(chosen, name), value)}
    open_ = (changed | expressions) & replaced.keys()
    return chosen.model_copy(update={name: EXPRESSIBLE[name] for name in open_}), expressions | open_


def replaced_settings(chosen: TrainerSettings, expressions: frozenset[str]) -> frozenset[str]:
    """Settings in whose place others surely come."""
    found = settings_of_trial(1).keys() if chosen.fast_dev_run and NAME not in expressions else ()
    overfits = chosen.overfit_batches and overfitting.NAME not in expressions
    return frozenset({*found, *(overfitting.LIMITS if overfits else ())})


def _is(value: Any, other: Any) -> bool:
    """Whether two settings are one: 1 batch is not 1.0 of them."""
    return type(value) is type(other) and value == other
