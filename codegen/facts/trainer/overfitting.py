"""A run on the same few batches in every epoch: `overfit_batches`, which takes the place of other settings (1.6)."""

from __future__ import annotations

from ...spec.trainer_settings import EXPRESSIBLE, TrainerSettings

NAME = "overfit_batches"
LIMITS = ("limit_train_batches", "limit_val_batches")


def with_overfitting(
    chosen: TrainerSettings, expressions: frozenset[str]
) -> tuple[TrainerSettings, frozenset[str]]:
    """The settings, and those that are known only when the script runs, where a run may be such a one."""
    if not chosen.overfit_batches:
        return chosen, expressions
    if NAME in expressions:
        return chosen.model_copy(update={name: EXPRESSIBLE[name] for name in LIMITS}), expressions | {*LIMITS}
    return chosen.model_copy(update=dict.fromkeys(LIMITS, chosen.overfit_batches)), expressions - {*LIMITS}
