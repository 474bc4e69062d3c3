"""How several optimizers and schedulers come out of `configure_optimizers`."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.project import Class, Project
from ...values import Sequence, Value, Values, ValueSet, values_of
from .objects import Returned, Shape, configured, is_object, is_torchs


@dataclass(frozen=True)
class OptimizerList:
    """What stands round them, and what they are."""

    shape: Shape
    has_schedulers: bool  # there may be some
    are_torchs: bool  # all optimizers surely are


def optimizer_list(project: Project, cls: Class) -> OptimizerList:
    """What can be read of the class's `configure_optimizers`; the rest is, when the script runs."""
    if "configure_optimizers" not in cls.methods:
        return OptimizerList(Shape.NOTHING, False, True)
    returned, values = configured(project, cls), values_of(project)
    optimizers = Returned(project, returned).optimizers
    are_torchs = bool(optimizers) and all(map(is_torchs, optimizers))
    plain = {_plain(values, value) for value in returned} if are_torchs else set()
    only = plain.pop() if len(plain) == 1 else None
    return only or OptimizerList(Shape.UNKNOWN, True, are_torchs)


def _plain(values: Values, value: Value) -> OptimizerList | None:
    """Where one assignment is enough."""
    if is_torchs(value):
        return OptimizerList(Shape.OPTIMIZER, False, True)
    if not isinstance(value, Sequence) or value.kind not in ("tuple", "list"):
        return None
    if all(map(is_torchs, values.elements(value))):
        return OptimizerList(Shape.TUPLE if value.kind == "tuple" else Shape.LIST, False, True)
    parts = values.parts(value) or {}
    lists = [_elements_of_list(values, parts[place]) for place in range(2)] if len(parts) == 2 else [None]
    if any(each is None for each in lists):
        return None
    schedulers = lists[1] or ()
    if not all(is_object(values, each) for each in schedulers):
        return None  # dicts with schedulers
    return OptimizerList(Shape.LISTS, bool(len(schedulers)), True)


def _elements_of_list(values: Values, found: ValueSet) -> ValueSet | None:
    """What a list holds; None: it is no list, or may be another."""
    made = found.only
    return values.elements(made) if isinstance(made, Sequence) and made.kind == "list" else None
