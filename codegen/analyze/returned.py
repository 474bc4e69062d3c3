"""What `configure_optimizers` may return: its optimizers and schedulers, wherever in the file they are made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile, islice
from typing import Literal

import libcst as cst
import libcst.matchers as m

from ..project import Class, Project
from .kinds import returned_values

Part = Literal["optimizer", "lr_scheduler"]

CLOSURE_FIRST = frozenset(
    "Adadelta Adafactor Adagrad Adam AdamW Adamax ASGD Muon NAdam RAdam RMSprop Rprop SGD SparseAdam".split()
)
"""torch's optimizers that do no more with a closure than to call it first."""

STEP_CHANGES = re.compile(r"register_(optimizer_)?step_(pre|post)_hook|(?<!self)\.step\s*=[^=]")
CHANGES = ("append", "extend", "insert", "update", "setdefault", "pop", "clear")
CHANGES_CONTAINER = m.OneOf(*(m.Name(method) for method in CHANGES))
MAX_DEPTH = 8


def needs_closure(project: Project, made: list[cst.BaseExpression]) -> bool:
    """Whether an optimizer may tell forward and backward within its step from those before it."""
    sure = (
        _name(project, node).startswith("torch.optim.") and _last(project, node) in CLOSURE_FIRST
        for node in made
    )
    return not made or not all(sure) or bool(STEP_CHANGES.search(_text(project)))


def may_watch_metric(project: Project, parts: Returned) -> bool:
    """Whether a scheduler may be one that steps on a plateau, which Lightning refuses without a `monitor`."""
    made = [*parts.made("optimizer"), *parts.made("lr_scheduler")]
    return "monitor" in _text(project) or not all(
        isinstance(node, cst.Dict) or makes_object(project, node) for node in made
    )


def makes_object(project: Project, node: cst.BaseExpression) -> bool:
    """Whether an expression surely makes an optimizer or a scheduler, and no dict that holds one."""
    return _last(project, node)[:1].isupper() or _name(project, node).startswith("transformers.")


def _text(project: Project) -> str:
    return "\n".join(statement.code for statement in project.statements)


def _name(project: Project, node: cst.BaseExpression) -> str:
    return (project.qualified(node.func) or "") if isinstance(node, cst.Call) else ""


def _last(project: Project, node: cst.BaseExpression) -> str:
    return _name(project, node).rpartition(".")[2]


@dataclass(frozen=True)
class Returned:
    """What a class's `configure_optimizers` returns, followed through variables, methods and functions."""

    project: Project
    cls: Class

    def made(self, part: Part) -> list[cst.BaseExpression]:
        """The expressions that may make an optimizer, or a scheduler; what cannot be followed is among them."""
        method = self.cls.methods["configure_optimizers"]
        return [
            node
            for value in returned_values(method)
            for node in self._in_form(part, value, method, MAX_DEPTH)
        ]

    def _in_form(
        self, part: Part, node: cst.BaseExpression | None, scope: cst.FunctionDef, depth: int
    ) -> Iterator[cst.BaseExpression]:
        """Out of one of the forms that Lightning takes."""
        if isinstance(node, cst.Name) and part == "lr_scheduler":
            for entry in entries_set(scope, node.value, part):
                yield from (found for found, _ in self._values(entry, scope, depth - 1))
        for value, where in self._values(node, scope, depth):
            if isinstance(value, cst.Dict):
                yield from self._in_dict(part, value, where, depth)
            elif isinstance(value, cst.Tuple | cst.List) and value.elements:
                yield from self._in_sequence(part, value, where, depth)
            elif part == "optimizer" or not makes_object(self.project, value):
                yield value

    def _in_dict(
        self, part: Part, node: cst.Dict, scope: cst.FunctionDef, depth: int
    ) -> Iterator[cst.BaseExpression]:
        entries = [element for element in node.elements if isinstance(element, cst.DictElement)]
        keys = [
            element.key.evaluated_value for element in entries if isinstance(element.key, cst.SimpleString)
        ]
        if len(keys) < len(node.elements) or "optimizer" not in keys:
            yield cst.Name("unknown")
        elif part in keys:
            value = entries[keys.index(part)].value
            yield from (found for found, _ in self._values(value, scope, depth - 1))

    def _in_sequence(
        self, part: Part, node: cst.Tuple | cst.List, scope: cst.FunctionDef, depth: int
    ) -> Iterator[cst.BaseExpression]:
        first = node.elements[0].value
        if len(node.elements) == 1 or part == "optimizer":
            yield from self._in_form(part, first, scope, depth - 1)
            return
        for schedulers, where in self._values(node.elements[1].value, scope, depth - 1):
            each = (
                schedulers.elements
                if isinstance(schedulers, cst.List | cst.Tuple)
                else [cst.Element(schedulers)]
            )
            for element in each:
                yield from (found for found, _ in self._values(element.value, where, depth - 2))

    def _values(
        self, node: cst.BaseExpression | None, scope: cst.FunctionDef, depth: int
    ) -> Iterator[tuple[cst.BaseExpression, cst.FunctionDef]]:
        """What an expression may stand for, and the function in which that is written."""
        if node is None or m.matches(node, m.Name("None")):
            return
        callee = self._callee(node, scope)
        if depth <= 0:
            yield node, scope
        elif isinstance(node, cst.IfExp):
            yield from self._values(node.body, scope, depth - 1)
            yield from self._values(node.orelse, scope, depth - 1)
        elif callee is not None:
            for value in returned_values(callee):
                yield from self._values(value, callee, depth - 1)
        elif isinstance(node, cst.Name) and (assigned := assigned_values(scope, node.value)):
            for value in assigned:
                yield from self._values(value, scope, depth - 1)
        elif attributes := self._attribute_values(node):
            for value, method in attributes:
                yield from self._values(value, method, depth - 1)
        else:
            yield node, scope

    def _attribute_values(self, node: cst.BaseExpression) -> list[tuple[cst.BaseExpression, cst.FunctionDef]]:
        """What the class's methods assign to an attribute of its own, each with its method."""
        if not m.matches(node, m.Attribute(value=m.Name("self"))):
            return []
        name = cst.ensure_type(node, cst.Attribute).attr.value
        target = m.AssignTarget(m.Attribute(m.Name("self"), m.Name(name)))
        plain = m.Assign(targets=[m.ZeroOrMore(), target, m.ZeroOrMore()])
        methods = [method for part in self.cls.lineage for method in part.own_methods.values()]
        return [
            (cst.ensure_type(found, cst.Assign).value, method)
            for method in methods
            for found in m.findall(method, plain)
        ]

    def _callee(self, node: cst.BaseExpression, scope: cst.FunctionDef) -> cst.FunctionDef | None:
        """The user's own function, or the method of the class, that a call calls."""
        if m.matches(node, m.Call(func=m.Attribute(value=m.Call(func=m.Name("super"))))):
            call = cst.ensure_type(node, cst.Call)
            return self._inherited(cst.ensure_type(call.func, cst.Attribute).attr.value, scope)
        if m.matches(node, m.Call(func=m.Attribute(value=m.Name("self")))):
            call = cst.ensure_type(node, cst.Call)
            return self.cls.methods.get(cst.ensure_type(call.func, cst.Attribute).attr.value)
        if not m.matches(node, m.Call(func=m.Name())):
            return None
        name = cst.ensure_type(cst.ensure_type(node, cst.Call).func, cst.Name).value
        functions = (each.node for each in self.project.statements if isinstance(each.node, cst.FunctionDef))
        return next((function for function in functions if function.name.value == name), None)

    def _inherited(self, name: str, scope: cst.FunctionDef) -> cst.FunctionDef | None:
        """The method that `super()` finds from within another one."""
        behind = dropwhile(lambda part: scope not in part.own_methods.values(), self.cls.lineage)
        return next(
            (part.own_methods[name] for part in islice(behind, 1, None) if name in part.own_methods), None
        )


def _entry(key: str) -> m.SubscriptElement:
    """Matches a plain key by a regular expression."""
    return m.SubscriptElement(m.Index(m.SimpleString(m.MatchRegex(f"['\"]{key}['\"]"))))


def entries_set(function: cst.FunctionDef, variable: str, key: str) -> list[cst.BaseExpression]:
    """The values of `variable[key] = value`."""
    entry = m.Subscript(value=m.Name(variable), slice=[_entry(key)])
    found = m.findall(function, m.Assign(targets=[m.AssignTarget(entry)]))
    return [cst.ensure_type(node, cst.Assign).value for node in found]


def assigned_values(function: cst.FunctionDef, variable: str) -> list[cst.BaseExpression]:
    """What is assigned to a variable; nothing where it may be bound, or what it holds changed, in other ways."""
    name = m.Name(variable)
    otherwise = (
        m.AugAssign(target=name)
        | m.NamedExpr(target=name)
        | m.Param(name=name)
        | m.AsName(name=name)
        | m.AssignTarget(m.Subscript(value=name, slice=[~_entry(r"(?!optimizer\b)\w+")]))
        | m.Call(func=m.Attribute(value=name, attr=CHANGES_CONTAINER))
    )
    unpacked = m.findall(function, m.AssignTarget(m.Tuple() | m.List()) | m.For() | m.CompFor())
    targets = [node.target for node in unpacked]  # type: ignore[attr-defined]  # all three have one
    if m.findall(function, otherwise) or any(m.findall(target, name) for target in targets):
        return []
    plain = m.Assign(targets=[m.ZeroOrMore(), m.AssignTarget(name), m.ZeroOrMore()]) | m.AnnAssign(
        target=name
    )
    values = [node.value for node in m.findall(function, plain)]  # type: ignore[attr-defined]  # both have one
    return [value for value in values if value is not None]
