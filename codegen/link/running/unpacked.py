"""Tuples and lists that a call of `fit` or its like unpacks, as in `trainer.fit(model, *loaders)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ...index import patterns as m
from ...index.index import Index
from ...index.scope import Variable
from ...ir.project import Project
from ...source.source import Change

MAY_UNPACK = re.compile(r"[(,]\s*\*\w")

RUNS = m.Call(
    m.Attribute(attr=m.Name("fit") | m.Name("validate") | m.Name("test") | m.Name("predict")),
    [m.ZeroOrMore(), m.Arg(m.Name(), star="*"), m.ZeroOrMore()],
)
UNPACKED = m.Arg(m.Name(), star="*")
KEPT = m.Arg(star="*") | m.Subscript()


def by_items(project: Project) -> list[Change]:
    """Their items, of which it is known how many there are."""
    if not MAY_UNPACK.search(project.source.text):
        return []
    calls = project.index.of_kind(cst.Call)
    return [
        (argument, ", ".join(f"{name}[{place}]" for place in range(length)))
        for call in calls
        if m.matches(call, RUNS)
        for argument in call.args
        if m.matches(argument, UNPACKED)
        for name, length in _known(project.index, cst.ensure_type(argument.value, cst.Name))
    ]


def _known(index: Index, name: cst.Name) -> Iterator[tuple[str, int]]:
    """The name of a variable that is bound once, and how many items it holds in any case."""
    variable = index.variable(name)
    if variable is None or len(variable.bindings) != 1:
        return
    assign = variable.bindings[0].by
    if isinstance(assign, cst.Assign) and m.matches(assign.targets[0].target, m.Name(name.value)):
        if isinstance(assign.value, cst.List) and not _is_kept(index, variable):
            return
        lengths = set(_lengths(index, assign.value))
        if len(lengths) == 1 and (length := lengths.pop()):
            yield name.value, length


def _is_kept(index: Index, variable: Variable) -> bool:
    """Whether nothing may change a list: it is but unpacked, and asked for its items."""
    parents = [index.parent(each) for each in variable.uses]
    are_targets = any(isinstance(index.parent(each), cst.AssignTarget | cst.Del) for each in parents if each)
    return all(m.matches(each, KEPT) for each in parents if each) and not are_targets


def _lengths(index: Index, value: cst.BaseExpression) -> Iterator[int]:
    """How many items an expression may have; 0: that is not known."""
    if isinstance(value, cst.Tuple | cst.List):
        is_plain = all(isinstance(each, cst.Element) for each in value.elements)
        yield len(value.elements) if is_plain else 0
    elif isinstance(value, cst.Call) and isinstance(value.func, cst.Name):
        made = [each.by for each in index.bindings(value.func)]
        function = made[0] if len(made) == 1 else None
        if not isinstance(function, cst.FunctionDef) or not _returns_surely(index, function):
            yield 0
            return
        for each in index.own(function, cst.Return):
            yield from _lengths(index, each.value) if isinstance(each.value, cst.Tuple) else (0,)
    else:
        yield 0


def _returns_surely(index: Index, function: cst.FunctionDef) -> bool:
    """Whether it ends by a `return`, of itself and not by what is put round it."""
    is_plain = not function.decorators and not function.asynchronous and not index.own(function, cst.Yield)
    last = function.body.body[-1]
    ends = isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Return)
    return is_plain and ends
