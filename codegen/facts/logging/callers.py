"""Conditions on the name of the calling function, which keep a method from logging where some hooks run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ..code.literals import code_of, is_literal, literal
from ..code.usage import LogCall, Usage
from .flagged import is_flagged

NAMES_OF_CALLER = frozenset(
    {
        "inspect.currentframe().f_back.f_code.co_name",
        "inspect.stack()[1].function",
        "inspect.stack()[1][3]",
        "sys._getframe().f_back.f_code.co_name",
        "sys._getframe(1).f_code.co_name",
    }
)
"""How code asks for it."""


def _are_names(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.SimpleString | cst.List | cst.Tuple | cst.Set) and is_literal(node)


TEST = m.Comparison(
    m.SaveMatchedNode(m.DoNotCare(), "asked"),
    [
        m.ComparisonTarget(
            m.SaveMatchedNode(m.In() | m.NotIn() | m.Equal() | m.NotEqual(), "operator"),
            m.SaveMatchedNode(m.MatchIfTrue(_are_names), "names"),
        )
    ],
)


@dataclass(frozen=True)
class Condition:
    """What has to be so where a statement is run."""

    operator: cst.BaseCompOp
    names: cst.BaseExpression
    is_turned: bool  # the statement is run where it is not so

    def holds(self, caller: str) -> bool:
        """Whether it may be so with a caller of this name."""
        names = literal(self.names)
        is_among = isinstance(self.operator, cst.In | cst.NotIn)
        found = caller in names if is_among else caller == names
        return bool(found) ^ isinstance(self.operator, cst.NotIn | cst.NotEqual) ^ self.is_turned


def is_left_out(project: Project, usage: Usage, call: LogCall, hook: str) -> bool:
    """Whether all that calls the method, when a hook runs, is kept from logging by its name, or by a flag."""
    callers = [each for each in usage.reached_from(hook) if call.method in usage.calls[each]]
    conditions = [*_conditions(project, call.node)]
    return call.method != hook and all(
        (_calls_itself(project, each, call.method) and not all(one.holds(each) for one in conditions))
        or is_flagged(project, _uses(project, each, call.method), call)
        for each in callers
    )


def _calls_itself(project: Project, caller: str, method: str) -> bool:
    """Whether no comprehension, lambda or the like within the caller does, of which the name is another."""
    index, uses = project.index, _uses(project, caller, method)
    parents = [index.parent(node) for node in uses]
    are_called = all(isinstance(parent, cst.Call) for parent in parents)
    return bool(uses) and are_called and all(index.scope_of(node).kind == "function" for node in uses)


def _uses(project: Project, caller: str, method: str) -> list[cst.Attribute]:
    """Where the caller names the method."""
    return [node for node in project.index.attributes(method) if _function(project, node) == caller]


def _function(project: Project, node: cst.CSTNode) -> str:
    """The name of the outermost function that a node is part of."""
    name = ""
    while function := project.index.function_of(node):
        node, name = function, function.name.value
    return name


def _conditions(project: Project, node: cst.CSTNode) -> Iterator[Condition]:
    """The conditions on the caller's name under which a node of a method is run."""
    function = project.index.function_of(node)
    if function is None or function.decorators:
        return
    while (parent := project.index.parent(node)) is not None and parent is not function:
        if isinstance(parent, cst.If) and node is not parent.test:
            found = m.extract(parent.test, TEST)
            if found and _asked(project, found["asked"]) in NAMES_OF_CALLER:
                yield Condition(found["operator"], found["names"], node is parent.orelse)
        node = parent


def _asked(project: Project, node: cst.BaseExpression) -> str:
    """The code of an expression, with what variables hold that are bound once in their place."""
    if isinstance(node, cst.Attribute):
        return f"{_asked(project, node.value)}.{node.attr.value}"
    if isinstance(node, cst.Subscript):
        return f"{_asked(project, node.value)}{code_of(node)[len(code_of(node.value)):]}"
    if isinstance(node, cst.Call):
        return f"{project.called(node)}{code_of(node)[len(code_of(node.func)):]}"
    value = _bound_to(project, node) if isinstance(node, cst.Name) else None
    return _asked(project, value) if value else code_of(node)


def _bound_to(project: Project, name: cst.Name) -> cst.BaseExpression | None:
    """What a variable of the same function surely holds."""
    index = project.index
    for binding in index.bindings(name) if len(index.bindings(name)) == 1 else ():
        is_above = index.order(binding.node) < index.order(name) and not index.holds(binding.by, name)
        is_own = binding.variable.scope is index.scope_of(name)
        if isinstance(binding.by, cst.Assign) and isinstance(index.parent(binding.node), cst.AssignTarget):
            return binding.by.value if is_above and is_own else None
    return None
