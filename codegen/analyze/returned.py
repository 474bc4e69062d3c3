"""What `configure_optimizers` may return: its optimizers and schedulers, wherever in the file they are made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import libcst as cst

from ..index import patterns as m
from ..index.search import findall
from ..ir.project import Class, Project
from .bindings import bindings
from .resolve import Found, Scope, returned_values, stands_for, step

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


def may_step_in_batches(project: Project, parts: Returned) -> bool:
    """Whether a scheduler may step within epochs, which only a dict with an `interval` says."""
    made = [*parts.made("optimizer"), *parts.made("lr_scheduler")]
    return "interval" in _text(project) or not all(
        _is_plain_dict(node) or makes_object(project, node) for node in made
    )


def _is_plain_dict(node: cst.BaseExpression) -> bool:
    entries = node.elements if isinstance(node, cst.Dict) else [None]
    return all(
        isinstance(each, cst.DictElement) and isinstance(each.key, cst.SimpleString) for each in entries
    )


def makes_object(project: Project, node: cst.BaseExpression) -> bool:
    """Whether an expression surely makes an optimizer or a scheduler, and no dict that holds one."""
    return _last(project, node)[:1].isupper() or _name(project, node).startswith("transformers.")


def _text(project: Project) -> str:
    return "\n".join(statement.code for statement in project.statements)


def _name(project: Project, node: cst.BaseExpression) -> str:
    return project.called(node) if isinstance(node, cst.Call) else ""


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
        scope = Scope(self.project, method, self.cls)
        return [
            node
            for value in returned_values(method)
            if value is not None
            for node in self._in_form(part, value, scope, MAX_DEPTH)
        ]

    def _in_form(
        self, part: Part, node: cst.BaseExpression, scope: Scope, depth: int
    ) -> Iterator[cst.BaseExpression]:
        """Out of one of the forms that Lightning takes."""
        if not depth:
            yield node
            return
        if isinstance(node, cst.Name) and part == "lr_scheduler":
            for entry in entries_set(scope.function, node.value, part):
                yield from _values(scope, entry)
        for where, value in stands_for(scope, node, _step):
            if isinstance(value, cst.Dict):
                yield from self._in_dict(part, value, where)
            elif isinstance(value, cst.Tuple | cst.List) and value.elements:
                yield from self._in_sequence(part, value, where, depth)
            elif part == "optimizer" or not makes_object(self.project, value):
                yield value

    def _in_dict(self, part: Part, node: cst.Dict, scope: Scope) -> Iterator[cst.BaseExpression]:
        entries = [element for element in node.elements if isinstance(element, cst.DictElement)]
        keys = [
            element.key.evaluated_value for element in entries if isinstance(element.key, cst.SimpleString)
        ]
        if len(keys) < len(node.elements) or "optimizer" not in keys:
            yield cst.Name("unknown")
        elif part in keys:
            yield from _values(scope, entries[keys.index(part)].value)

    def _in_sequence(
        self, part: Part, node: cst.Tuple | cst.List, scope: Scope, depth: int
    ) -> Iterator[cst.BaseExpression]:
        if len(node.elements) == 1 or part == "optimizer":
            yield from self._in_form(part, node.elements[0].value, scope, depth - 1)
            return
        for where, schedulers in stands_for(scope, node.elements[1].value, _step):
            elements = (
                schedulers.elements
                if isinstance(schedulers, cst.List | cst.Tuple)
                else [cst.Element(schedulers)]
            )
            for element in elements:
                yield from _values(where, element.value)


def _values(scope: Scope, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    return (value for _, value in stands_for(scope, node, _step))


def _step(scope: Scope, node: cst.BaseExpression) -> Found[Scope] | None:
    """What an expression stands for; a variable that is not only assigned stands for itself."""
    if isinstance(node, cst.Name):
        return [(scope, value) for value in assigned_values(scope.function, node.value)] or None
    return step(scope, node)


def _entry(key: str) -> m.Pattern:
    """Matches a plain key by a regular expression."""
    return m.SubscriptElement(m.Index(m.SimpleString(m.MatchRegex(f"['\"]{key}['\"]"))))


def entries_set(function: cst.FunctionDef, variable: str, key: str) -> list[cst.BaseExpression]:
    """The values of `variable[key] = value`."""
    entry = m.Subscript(value=m.Name(variable), slice=[_entry(key)])
    found = findall(function, m.Assign(targets=[m.AssignTarget(entry)]))
    return [cst.ensure_type(node, cst.Assign).value for node in found]


def assigned_values(function: cst.FunctionDef, variable: str) -> list[cst.BaseExpression]:
    """What is assigned to a variable; nothing where it may be bound, or what it holds changed, in other ways."""
    if _is_changed(function, variable):
        return []
    bound = [each.value for each in bindings(function, cst.Name(variable))]
    values = [value for value in bound if value is not None]
    return values if len(values) == len(bound) else []


def _is_changed(function: cst.FunctionDef, variable: str) -> bool:
    """Whether a variable may come to hold something else by more than the statements that bind it."""
    name = m.Name(variable)
    changes = (
        m.AugAssign(target=name)
        | m.NamedExpr(target=name)
        | m.AssignTarget(m.Subscript(value=name, slice=[~_entry(r"(?!optimizer\b)\w+")]))
        | m.Call(func=m.Attribute(value=name, attr=CHANGES_CONTAINER))
    )
    unpacked = findall(function, m.AssignTarget(m.Tuple() | m.List()) | m.CompFor())
    targets = [node.target for node in unpacked]  # type: ignore[attr-defined]  # both have one
    return bool(findall(function, changes)) or any(findall(target, name) for target in targets)
