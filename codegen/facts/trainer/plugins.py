"""The Trainer's `plugins` in code, described as in a spec (19.1)."""

from __future__ import annotations

from collections.abc import Sequence as Listed
from typing import Any

import libcst as cst

from ...ir.project import Project
from ...spec.precision import OWN_SAVING, PLUGINS, holds_own, only_save
from ...values import Class, Instance, Literal, Sequence, Value, Values, ValueSet, values_of

SAVING_BASES = frozenset({"CheckpointIO", "TorchCheckpointIO"})
"""Classes of Lightning's that those of the user's derive from that write checkpoints."""

UNKNOWN = object()
"""Stands for what is known only when the script runs."""


def described_plugins(project: Project, node: cst.BaseExpression) -> Any:
    """The objects that an expression is, alone or in a list, each by `class_path` and `init_args`."""
    whole = project.holding(node)
    values = values_of(whole)
    return _described(values, values.of(node))


def _described(values: Values, found: ValueSet) -> Any:
    options = [_of_value(values, each) for each in found]
    if len(options) == 1:
        return options[0]
    is_nothing = bool(options) and all(not each or only_save(each) for each in options)
    told = [*filter(holds_own, options), *filter(None, options), None]
    return told[0] if is_nothing else UNKNOWN


def _of_value(values: Values, value: Value) -> Any:
    if isinstance(value, Literal):
        return value.value
    if isinstance(value, Sequence):
        parts = values.exact_parts(value)
        return UNKNOWN if parts is None else [_described(values, each) for each in parts.values()]
    return _object(values, value) if isinstance(value, Instance) else UNKNOWN


def is_own_saving(values: Values, value: Value) -> bool:
    """Whether it is an object of a class of the user's that writes checkpoints."""
    cls = value.cls if isinstance(value, Instance) else None
    return isinstance(cls, Class) and not SAVING_BASES.isdisjoint(values.lightning_names(cls))


def _object(values: Values, made: Instance) -> Any:
    name, call = made.lightning, made.node
    if is_own_saving(values, made):
        return OWN_SAVING
    if name is None or not isinstance(call, cst.Call):
        return UNKNOWN
    arguments = values.arguments(call, PLUGINS.get(name, ()))
    if arguments.unknown is not None:
        return UNKNOWN
    return {
        "class_path": name,
        "init_args": {key: _value(each.values) for key, each in arguments.given.items()},
    }


def _value(found: ValueSet) -> Any:
    value: Value | None = found.literal
    return value.value if isinstance(value, Literal) else UNKNOWN


def plugins_in(trainers: Listed[cst.Call]) -> cst.CSTNode:
    """Where Trainers are told of them."""
    named = (
        each for call in trainers for each in call.args if each.keyword and each.keyword.value == "plugins"
    )
    return next(named, trainers[0])
