"""Batches that go through the model in parts: `microbatch` of the spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.model.spec_objects import SpecNames
from ...ir.plans import ConfigField
from ...source.definitions import Import
from ...spec.sections.microbatch import AUTO
from ...spec.sections.strategy_spec import SyncMode
from ..feature import Feature

SIZE = "microbatch_size"


class Microbatch(NamedTuple):
    """How a batch is split, and what is done with its parts."""

    is_searched: bool  # for the size that there is memory for
    module: str  # whose it is
    shares: str  # a condition: ranks share gradients after the batch
    parts: str  # the code that makes them
    logs: bool  # what they log counts for the batch
    tells_loss: bool  # of the whole batch
    imports: tuple[Import, ...]  # of a function of a library's, or of a module that stays


def microbatch(facts: Facts) -> Microbatch | None:
    """None: batches go through the model whole."""
    settings = facts.microbatch
    if settings is None:
        return None
    names = SpecNames(facts.project)
    split = names.class_name(settings.split) if settings.split else "split_batch"
    is_searched = settings.size == AUTO
    every = facts.sync is SyncMode.MULTI_AUTO_SYNC or not facts.accumulates
    return Microbatch(
        is_searched=is_searched,
        module="step" if facts.wraps_steps else "model",
        shares="True" if every else "is_last",
        parts=f"{split}(batch, {'size' if is_searched else f'config.{SIZE}'})",
        logs=facts.logging.in_training,
        tells_loss=facts.uses_closure or facts.calls("on_train_batch_end"),
        imports=tuple(names.imports),
    )


def _config(facts: Facts) -> Iterator[ConfigField]:
    settings = facts.microbatch
    if settings and settings.size != AUTO:
        yield ConfigField(SIZE, "int", str(settings.size), "samples that go through the model at once")


MICROBATCH = Feature(
    "microbatch",
    microbatch,
    ("Batches go through the model in parts.", "spec microbatch"),
    {
        "is_searched": ("Parts are as large as there is memory for.", "spec microbatch"),
        "logs": ("Values that parts log are one value of the batch.", "log"),
    },
    _config,
)
