"""The Trainer's `plugins` in code, described as in a spec (19.1)."""

from __future__ import annotations

from collections.abc import Sequence as Listed
from typing import Any

import libcst as cst

from ...ir.project import Project
from ...spec.precision import PLUGINS, only_save
from ...values import Instance, Literal, Sequence, Value, Values, ValueSet, values_of

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
    return next(filter(None, options), None) if is_nothing else UNKNOWN


def _of_value(values: Values, value: Value) -> Any:
    if isinstance(value, Literal):
        return value.value
    if isinstance(value, Sequence):
        parts = values.exact_parts(value)
        return UNKNOWN if parts is None else [_described(values, each) for each in parts.values()]
    return _object(values, value) if isinstance(value, Instance) else UNKNOWN


def _object(values: Values, made: Instance) -> Any:
    name, call = made.lightning, made.node
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
