"""The Trainer's `plugins` in code, described as in a spec (19.1)."""

from __future__ import annotations

from collections.abc import Sequence as Listed
from collections.abc import Set
from typing import Any

import libcst as cst

from ...ir.project import Project
from ...lightning import api
from ...spec.precision import OLD_NAMES, OWN_SAVING, PLUGINS, holds_own, only_save
from ...values import External, Instance, Literal, Sequence, Value, Values, ValueSet
from ..code.instances import Instances

SCALER = "scaler"

UNKNOWN = object()
"""Stands for what is known only when the script runs."""


def described_plugins(project: Project, node: cst.BaseExpression) -> Any:
    """The objects that an expression is, alone or in a list, each by `class_path` and `init_args`."""
    instances = Instances(project.holding(node))
    return _described(instances, instances.values.of(node))


def _described(instances: Instances, found: ValueSet) -> Any:
    options = [_of_value(instances, each) for each in found]
    if len(options) == 1:
        return options[0]
    is_nothing = bool(options) and all(not each or only_save(each) for each in options)
    told = [*filter(holds_own, options), *filter(None, options), None]
    return told[0] if is_nothing else UNKNOWN


def _of_value(instances: Instances, value: Value) -> Any:
    if isinstance(value, Literal):
        return value.value
    if isinstance(value, Sequence):
        parts = instances.values.exact_parts(value)
        return UNKNOWN if parts is None else [_described(instances, each) for each in parts.values()]
    if is_own_saving(instances, value):
        return OWN_SAVING
    if _derives(instances, value, {api.ENVIRONMENT}):
        return {"class_path": api.ENVIRONMENT, "init_args": {}}
    return _object(instances.values, value) if isinstance(value, Instance) else UNKNOWN


def is_own_saving(instances: Instances, value: Value) -> bool:
    """Whether it is an object of a class of the user's that writes checkpoints."""
    return _derives(instances, value, api.SAVING_BASES)


def _derives(instances: Instances, value: Value, bases: Set[str]) -> bool:
    """Whether it is an object of a class of the user's that has one of these bases."""
    cls = instances.class_of(value)
    return cls is not None and not bases.isdisjoint(cls.resolution_order)


def _object(values: Values, made: Instance) -> Any:
    name, call = OLD_NAMES.get(made.lightning or "", made.lightning), made.node
    if name is None or not isinstance(call, cst.Call):
        return UNKNOWN
    arguments = values.arguments(call, PLUGINS.get(name, ()))
    if arguments.unknown is not None:
        return UNKNOWN
    given = {key: _value(each.values) for key, each in arguments.given.items()}
    scalers = arguments.given[SCALER].values if SCALER in given else ()
    if scalers and all(_device_of_default(values, each) == given.get("device") for each in scalers):
        del given[SCALER]
    return {"class_path": name, "init_args": given}


def _device_of_default(values: Values, value: Value) -> object:
    """For which device it is the scaler that a plugin makes if it is given none; None: it is another."""
    kind = value.cls.name if isinstance(value, Instance) and isinstance(value.cls, External) else ""
    call = value.node if isinstance(value, Instance) else None
    if not (kind.startswith("torch.") and kind.endswith(".GradScaler") and isinstance(call, cst.Call)):
        return None
    if not call.args:
        return "cuda"
    device = values.arguments(call, ("device",)).get("device")
    is_alone = len(call.args) == 1 and ".cuda." not in kind
    return _value(device.values) if device and is_alone else None


def _value(found: ValueSet) -> Any:
    value: Value | None = found.literal
    return value.value if isinstance(value, Literal) else UNKNOWN


def plugins_in(trainers: Listed[cst.Call]) -> cst.CSTNode:
    """Where Trainers are told of them."""
    named = (
        each for call in trainers for each in call.args if each.keyword and each.keyword.value == "plugins"
    )
    return next(named, trainers[0])
