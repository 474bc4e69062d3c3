"""Partial evaluation of the runtime's code: what is known when building is decided, and the rest of it goes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

import libcst as cst

from ...index import patterns as m
from ...index.rewriting import rewritten
from ...index.search import code_for
from .decide import Decider
from .known import Known
from .local_constants import LocalConstants, lasting_attributes
from .tidy import flags_of, tidied

NONE, TRUE, FALSE = m.Name("None"), m.Name("True"), m.Name("False")
DOCSTRING = m.SimpleStatementLine(body=[m.Expr(m.SimpleString())])
OPTIONAL = m.SimpleStatementLine(body=[m.AnnAssign(target=m.Name(), value=NONE)])
CONSTANT_RESULT = m.SimpleStatementLine(body=[m.Return(m.SaveMatchedNode(TRUE | FALSE | NONE, "value"))])
WITH_A_CONSTANT = m.FunctionDef(
    name=m.Name(value=m.MatchRegex("_[^_].*")),
    decorators=[],
    body=m.IndentedBlock(body=[m.ZeroOrOne(DOCSTRING), CONSTANT_RESULT]),
)

E = TypeVar("E", bound=cst.CSTNode)


def _words(code: str) -> set[str]:
    return set(re.findall(r"\w+", code))


def fold(node: cst.ClassDef, known: Known) -> cst.ClassDef:
    """The class with everything decided that `known` decides."""
    while True:
        node = _decided_once(node, known)
        results = _results(node)
        if results == known.results:
            return _narrowed(_without_flags(_without_idle(node, known.inherited), known), known)
        known = replace(known, results=results)


def _without_idle(node: cst.ClassDef, names: frozenset[str]) -> cst.ClassDef:
    """The class without those methods that have nothing left to do."""
    idle = m.FunctionDef(
        name=m.Name(value=m.MatchIfTrue({"__post_init__", *names}.__contains__)),
        body=m.IndentedBlock(body=[m.ZeroOrOne(DOCSTRING)]),
    )
    body = [member for member in node.body.body if not m.matches(member, idle)]
    return node.with_changes(body=node.body.with_changes(body=body))


def _without_flags(node: cst.ClassDef, known: Known) -> cst.ClassDef:
    """The class without what was there to be decided."""
    target = m.AssignTarget(m.Name(value=m.MatchIfTrue(known.attributes.__contains__)))
    flag = m.SimpleStatementLine(body=[m.Assign(targets=[target], value=TRUE | FALSE)])
    body = [member for member in node.body.body if not m.matches(member, flag)]
    return node.with_changes(body=node.body.with_changes(body=body))


def _narrowed(node: cst.ClassDef, known: Known) -> cst.ClassDef:
    """The class with the types of its fields as they are: `x: str | None = None  # a name; None for any`."""
    body = [_narrowed_field(member, known) for member in node.body.body]
    return node.with_changes(body=node.body.with_changes(body=body))


def _narrowed_field(member: E, known: Known) -> E | cst.SimpleStatementLine:
    if not m.matches(member, OPTIONAL):
        return member
    line = cst.ensure_type(member, cst.SimpleStatementLine)
    part = cst.ensure_type(line.body[0], cst.AnnAssign)
    name, types = cst.ensure_type(part.target, cst.Name).value, code_for(part.annotation.annotation)
    if name not in known.flags | known.present.keys():
        return member
    types, value = ("bool", "False") if name in known.flags else (types.removesuffix(" | None"), '""')
    changed = cst.ensure_type(cst.parse_statement(f"{name}: {types} = {value}"), cst.SimpleStatementLine)
    trailing = line.trailing_whitespace
    if comment := trailing.comment:
        first = comment.with_changes(value=comment.value.partition(";")[0])
        trailing = trailing.with_changes(comment=first)
    return changed.with_changes(trailing_whitespace=trailing, leading_lines=line.leading_lines)


def _results(node: cst.ClassDef) -> dict[str, str]:
    """What the class's own methods return that do nothing else, where that is a constant."""
    found: dict[str, str] = {}
    for method in node.body.body:
        if values := m.extract(method, WITH_A_CONSTANT):
            value = cst.ensure_type(values["value"], cst.Name).value
            found[cst.ensure_type(method, cst.FunctionDef).name.value] = value
    return found


def _decided_once(node: cst.ClassDef, known: Known) -> cst.ClassDef:
    names = known.words
    lasting = lasting_attributes(node)
    flags = flags_of(node) & lasting
    body = [
        (
            _folded(member, known.of_method(member.name.value), lasting, flags)
            if isinstance(member, cst.FunctionDef) and names & _words(code_for(member))
            else member
        )
        for member in node.body.body
    ]
    return node.with_changes(body=node.body.with_changes(body=body))


def fold_function(node: cst.FunctionDef, known: Known) -> cst.FunctionDef:
    """The function with everything decided that `known` decides."""
    return _folded(node, known, set(), set())


def _folded(method: cst.FunctionDef, known: Known, lasting: set[str], flags: set[str]) -> cst.FunctionDef:
    words = _words(code_for(method))
    while not words >= (more := {word for code in known.about(words).values for word in _words(code)}):
        words |= more
    return _folded_method(method, known.about(words), frozenset(lasting & words), frozenset(flags & words))


@lru_cache(maxsize=4_096)
def _folded_method(
    method: cst.FunctionDef, known: Known, lasting: frozenset[str], flags: frozenset[str]
) -> cst.FunctionDef:
    """Kept, because a process that builds several scripts decides the same of most methods."""
    folded = rewritten(method, Decider(known))
    folded = rewritten(folded, LocalConstants(lasting))
    if folded.deep_equals(method):
        return method
    while not (tidy := tidied(folded, flags)).deep_equals(folded):
        folded = tidy
    return _folded_method(folded, known, lasting, flags)
