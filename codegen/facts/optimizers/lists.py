"""How several optimizers and schedulers come out of `configure_optimizers`."""

from __future__ import annotations

from dataclasses import dataclass

from ...ir.plans import Lines
from ...ir.project import Class, Project
from ...values import Sequence, Value, Values, ValueSet, values_of
from .form import CALL
from .objects import Returned, configured, is_object, is_torchs


@dataclass(frozen=True)
class OptimizerList:
    """The statements that read them into `optimizers` and `schedulers`."""

    read: Lines
    has_schedulers: bool  # there may be some
    are_torchs: bool  # all optimizers surely are


def optimizer_list(project: Project, cls: Class) -> OptimizerList:
    """What can be read of the class's `configure_optimizers`; the rest is, when the script runs."""
    if "configure_optimizers" not in cls.methods:
        return OptimizerList(("optimizers: list[Any] = []",), False, True)
    returned, values = configured(project, cls), values_of(project)
    optimizers = Returned(project, returned).optimizers
    are_torchs = bool(optimizers) and all(map(is_torchs, optimizers))
    plain = {_plain(values, value) for value in returned} if are_torchs else set()
    only = plain.pop() if len(plain) == 1 else None
    return only or OptimizerList((f"optimizers, schedulers = read_several({CALL})",), True, are_torchs)


def _plain(values: Values, value: Value) -> OptimizerList | None:
    """Where one assignment is enough."""
    if is_torchs(value):
        return OptimizerList((f"optimizers = [{CALL}]",), False, True)
    if not isinstance(value, Sequence) or value.kind not in ("tuple", "list"):
        return None
    if all(map(is_torchs, values.elements(value))):
        made = f"list({CALL})" if value.kind == "tuple" else CALL
        return OptimizerList((f"optimizers = {made}",), False, True)
    parts = values.parts(value) or {}
    lists = [_elements_of_list(values, parts[place]) for place in range(2)] if len(parts) == 2 else [None]
    if any(each is None for each in lists):
        return None
    schedulers = lists[1] or ()
    if not all(is_object(values, each) for each in schedulers):
        return None  # dicts with schedulers
    name = "schedulers" if len(schedulers) else "_"
    return OptimizerList((f"optimizers, {name} = {CALL}",), bool(len(schedulers)), True)


def _elements_of_list(values: Values, found: ValueSet) -> ValueSet | None:
    """What a list holds; None: it is no list, or may be another."""
    made = found.only
    return values.elements(made) if isinstance(made, Sequence) and made.kind == "list" else None
