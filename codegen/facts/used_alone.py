"""Whether code asks a model something that its trainer knows while it has none: as it is made, in a main, or a copy."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ..index import Index
from ..ir.project import Class, Project
from ..values import BoundMethod, Instance, Value, values_of
from .code.usage import Usage

OF_TRAINER = ("current_epoch", "global_step", "log", "log_dict", "logger", "loggers")
"""What Lightning's models have without one: at the start, and nothing that logs."""


def asks_without_trainer(project: Project, models: Iterable[Class], usage: Usage, has_others: bool) -> bool:
    """Whether a model's code may ask for it so; code may call others, which are copies, or loaded."""
    nodes = [node for name in OF_TRAINER for node in usage.reads.get(name, ())]
    if not nodes:
        return False
    made_by = usage.reached_from("__init__")
    is_asked_early = any(_method(project.index, node) in made_by for node in nodes)
    return is_asked_early or has_others or _is_called(project, {each.node for each in models})


def _method(index: Index, node: cst.CSTNode) -> str:
    function = index.function_of(node)
    return function.name.value if function else ""


def _is_called(project: Project, models: set[cst.ClassDef]) -> bool:
    """Whether code outside of classes calls a model, or one of its own methods."""
    values, index = values_of(project), project.index

    def is_models(value: Value) -> bool:
        owner = value.receiver if isinstance(value, BoundMethod) else value
        return isinstance(owner, Instance) and getattr(owner.cls, "node", None) in models

    calls = (each for each in index.of_kind(cst.Call) if index.class_of(each) is None)
    return any(is_models(value) for call in calls for value in values.callees(call))
