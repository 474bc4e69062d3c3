"""The hooks that the model, the data module and the callbacks have, and in which order they are called (2.9, 5.12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import libcst as cst

from ...facts.code.effects import does_nothing
from ...facts.facts import Facts
from ...lightning.api import CALLBACK_STATES as STATES
from ..feature import Feature
from .told_stage import told_stage

WATCHING = {"EarlyStopping": "EarlyStopping", "ModelCheckpoint": "Checkpoint", "Checkpoint": "Checkpoint"}
"""Lightning's callbacks that watch a metric, with the classes by which a script knows them."""


PER_NODE = "prepare_data_per_node"
"""What says whether each node prepares its data."""


class Hooks(NamedTuple):
    """Who has which, and where the order is not the usual one: callbacks first, then the model."""

    of_model: frozenset[str]
    of_data: frozenset[str]
    of_callbacks: frozenset[str]
    may_skip: bool  # the rest of an epoch, by what `on_train_batch_start` returns
    watch_last: str  # classes of callbacks that come after the model's `on_train_epoch_end`, others before it
    come_last: bool  # all callbacks do
    fitting: str  # what `setup` and `teardown` are told of it
    data_may_be_shared: bool  # among nodes: it is prepared once
    model_may_be_shared: bool


def hooks(facts: Facts) -> Hooks:
    """Who has which."""
    name = "on_train_epoch_end"
    callbacks = facts.callbacks
    watching, others = name in callbacks.monitoring, name in callbacks.others
    classes = sorted({WATCHING[each] for each in WATCHING.keys() & callbacks.runtime}, reverse=True)
    are_both = watching and others and bool(callbacks)
    return Hooks(
        of_model=facts.hooks,
        of_data=frozenset(_of_data(facts.data.methods) if facts.data else ()),
        of_callbacks=frozenset(callbacks.hooks),
        may_skip=facts.may_skip,
        watch_last=" | ".join(classes) if are_both else "",
        come_last=watching and not are_both,
        fitting=told_stage(facts, "fit"),
        data_may_be_shared=facts.data is not None and PER_NODE in facts.data_usage.own_names(facts.data),
        model_may_be_shared=PER_NODE in facts.usage.own_names(facts.model),
    )


def _of_data(methods: Mapping[str, cst.FunctionDef]) -> Iterator[str]:
    """Those of its methods that may do something."""
    yield from (name for name, each in methods.items() if name not in STATES or not does_nothing(each))


HOOKS = Feature("hooks", hooks, ("A hook of yours, or of a callback.", ""))
