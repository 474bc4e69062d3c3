"""Constructors of Lightning's classes that code calls by the name of the class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ...index import patterns as m
from ...ir.project import Class, Project, Statement
from ..code.literals import code_of

CONSTRUCTOR = m.Attribute(attr=m.Name("__init__"))


def base_constructors(project: Project, statements: Iterable[Statement]) -> Iterator[tuple[cst.Call, str]]:
    """Calls as `LightningModule.__init__(self)`, with the same by `super()`."""
    classes = {cls.node: cls for cls in project.classes.values()}
    for call in (each for one in statements for each in project.index.within(one.node, cst.Call)):
        node = project.index.class_of(call) if m.matches(call.func, CONSTRUCTOR) else None
        if node in classes and _is_next(project, classes[node], call):
            yield call, f"super().__init__({', '.join(_code(each) for each in call.args[1:])})"


def _is_next(project: Project, cls: Class, call: cst.Call) -> bool:
    """Whether `super()` leads to the class that is named, in objects of classes derived from this one, too."""
    method, base = project.index.function_of(call), cst.ensure_type(call.func, cst.Attribute).value
    if not (call.args and isinstance(method, cst.FunctionDef) and method.params.params):
        return False
    is_self = code_of(call.args[0].value) == method.params.params[0].name.value and not call.args[0].keyword
    return is_self and all(each == project.lightning_name(base) for each in _behind(project, cls))


def _behind(project: Project, cls: Class) -> Iterator[Class | str]:
    """What comes after the class wherever attributes are looked up in it; of Lightning's classes the name."""
    orders = (other.resolution_order for other in project.classes.values())
    yield from (order[order.index(cls) + 1] for order in orders if cls in order[:-1])


def _code(argument: cst.Arg) -> str:
    return code_of(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT))
