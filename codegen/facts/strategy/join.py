"""What has ranks meet within an epoch, where some may have no batches left: `ddp.join` of the spec."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...spec.load import conflicts_of_join
from ..facts import Facts

KEY = "ddp.join"

OF_EPOCHS = frozenset(
    "Callback Checkpoint ModelCheckpoint EarlyStopping LearningRateMonitor GradientAccumulationScheduler "
    "LambdaCallback OnExceptionCheckpoint BasePredictionWriter".split()
)
"""Callbacks of Lightning's that keep nothing of single batches."""

MEETING = ("all_gather", "barrier", "broadcast", "reduce", "reduce_boolean_decision")
"""Methods of Lightning's that all ranks have to call."""


def check_join(facts: Facts) -> Iterator[Diagnostic]:
    """By what the code and the Trainer's settings do within an epoch."""
    if not facts.joins:
        return
    place = facts.loaded.key_place(KEY)
    for name, is_asked in _asked(facts).items():
        if is_asked:
            yield messages.not_with_join(place, name)
    for key in conflicts_of_join(facts.loaded):
        if not facts.loaded.is_given(key):  # that a strategy in the code brings
            yield messages.not_with_join(place, key.rpartition(".")[2])
    for name in sorted(facts.callbacks.runtime - OF_EPOCHS) if facts.callbacks else ():
        yield messages.callback_with_join(place, name)
    for node in _meetings(facts):
        yield messages.meets_in_batches((facts.project.source, node.attr), node.attr.value)


def _asked(facts: Facts) -> dict[str, object]:
    settings = facts.settings
    return {
        "automatic_optimization": facts.manual,
        "sync_batchnorm": settings.sync_batchnorm or facts.is_expression("sync_batchnorm"),
        "max_steps": facts.has_max_steps or facts.is_expression("max_steps"),
        "val_check_interval": facts.validates_inside and not facts.has_max_steps,
        "stopping": facts.stops_in_batches or facts.may_skip,
        "saving": facts.saves_inside,
        "sync_dist": facts.logging.syncs_steps,
        "total_batch_idx": "total_batch_idx" in facts.trainer_fields,
        "loaders": facts.train.together,
        "accumulate_grad_batches": facts.accumulates and facts.train.dataset == "unsized",
    }


def _meetings(facts: Facts) -> Iterator[cst.Attribute]:
    """Where a step of the model's has the ranks meet."""
    index, reached = facts.project.index, facts.usage.reached_from("training_step")
    for name in MEETING:
        for node in facts.usage.reads.get(name, ()):
            function = index.function_of(node)
            if function is not None and function.name.value in reached:
                yield node
