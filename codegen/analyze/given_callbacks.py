"""The callbacks that Trainers of a main are given: each has to be of a class that the script has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import Project
from ..values import Class, Instance, Literal, Sequence, Unknown, Value, Values, ValueSet, values_of
from .literals import code_of


def check_given(project: Project, trainers: Iterable[cst.Call]) -> Iterator[Diagnostic]:
    """Callbacks of which it cannot be told what they do, so that the script would hold them and never call them."""
    values = values_of(project)
    for call in trainers:
        given = values.arguments(call, ()).get("callbacks")
        found = dict.fromkeys(_callbacks(values, given.values, set())) if given else {}
        for place, reason in dict.fromkeys((_place(each, call), _unread(values, each)) for each in found):
            if reason:
                yield messages.callback_unread((project.source, place), reason)


def _callbacks(values: Values, given: ValueSet, seen: set[cst.CSTNode]) -> Iterator[Value]:
    """Those of a list, which may be added together, or the one that is given without."""
    for value in given:
        added = value.node if isinstance(value, Unknown) else None
        if isinstance(value, Sequence):
            yield from values.elements(value).without_none
        elif isinstance(added, cst.BinaryOperation | cst.AugAssign):
            parts = [added.left, added.right] if isinstance(added, cst.BinaryOperation) else [added.value]
            for part in () if added in seen else parts:
                yield from _callbacks(values, values.of(part), seen | {added})
        elif not isinstance(value, Literal):
            yield value


def _unread(values: Values, value: Value) -> str:
    """Why it cannot be read what a callback does; empty: it can."""
    if isinstance(value, Unknown):
        return value.reason
    cls = value.cls if isinstance(value, Instance) else None
    if cls is None:
        return "it is no object"
    if values.lightning_names(cls):
        return ""
    name = cls.name if isinstance(cls, Class) else _called(value)
    return f"`{name}` is none of Lightning's callbacks, and it cannot be read that it makes one"


def _called(value: Value) -> str:
    node = getattr(value, "node", None)
    return code_of(node.func) if isinstance(node, cst.Call) else "this"


def _place(value: Value, trainer: cst.Call) -> cst.CSTNode:
    """Where the callback is made, or, where that cannot be told, the Trainer."""
    node = getattr(value, "node", None)
    return node if isinstance(node, cst.BaseExpression) else trainer
