"""Which of a file's statements a script needs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

import libcst as cst

from ..index.search import code_for
from ..source.execution import (
    OF_BASES,
    SUBCLASSES,
    Use,
    execution,
    noted_in,
    notes_classes,
    notes_subclasses,
)
from ..source.names import global_names
from .project import Class, Project, Statement


def reached(project: Project, roots: Iterable[str]) -> tuple[Statement, ...]:
    """The statements that bind the names in `roots`, those that do more than bind names, and all that they use."""
    always = {statement for statement in project.statements if statement.always}
    kept = always | _closure(project, {*roots, *(name for each in always for name in each.uses)})
    while found := [s for s in project.statements if s not in kept and _is_registered(project, s, kept)]:
        kept |= _closure(project, {name for statement in found for name in statement.names})
    return tuple(statement for statement in project.statements if statement in kept)


def used_by(project: Project, roots: Iterable[str]) -> set[Statement]:
    """The statements that bind the names in `roots`, all that they use, and what is done to that before it is used."""
    needed = _closure(project, roots)
    while True:
        names = {name for statement in needed for name in statement.names}
        last = max((place for place, each in enumerate(project.statements) if each in needed), default=0)
        done = {each for each in project.statements[:last] if each.always and each.uses & names}
        if done <= needed:
            return needed
        needed |= done | _closure(project, {name for statement in done for name in statement.uses})


def _closure(project: Project, names: Iterable[str]) -> set[Statement]:
    """The statements that bind the names, and those that these need."""
    binding: dict[str, list[Statement]] = {}
    for statement in project.statements:
        for name in set(statement.names) - project.displays.keys():
            binding.setdefault(name, []).append(statement)
    kept: set[Statement] = set()
    waiting = [statement for name in names for statement in binding.get(name, ())]
    while waiting:
        statement = waiting.pop()
        if statement not in kept:
            kept.add(statement)
            waiting.extend(found for name in statement.uses for found in binding.get(name, ()))
    return kept


def _is_registered(project: Project, statement: Statement, kept: set[Statement]) -> bool:
    """Whether a decorator, a metaclass or a base may put the definition into something that kept code reads."""
    if not project.noted.isdisjoint(statement.names):
        return True
    decorators = (
        statement.node.decorators if isinstance(statement.node, cst.FunctionDef | cst.ClassDef) else ()
    )
    names = {name.value for each in decorators for name in project.index.within(each, cst.Name)}
    noting = _noting(project, statement)
    if any(each.node in noting.values() for each in kept):
        return True
    bases = _bases(project, statement)
    if any(_is_asked_for(project, part, kept) for part in bases):
        return True
    telling = (part for part in bases if OF_BASES in part.own_methods)
    names |= {*noting, *(part.name for part in telling if notes_subclasses(_parsed(part)))}
    needed = _closure(project, names)
    heads = execution(statement.code).heads if decorators else frozenset()
    variables = {name for each in needed & kept if _may_note(each, heads) for name in each.names}
    return any(variables & _read_in_body(each) for each in kept - needed)


def _bases(project: Project, statement: Statement) -> tuple[Class, ...]:
    """Those of the class that a statement defines."""
    cls = project.classes.get(statement.names[0]) if isinstance(statement.node, cst.ClassDef) else None
    return cls.lineage[1:] if cls is not None else ()


def _is_asked_for(project: Project, base: Class, kept: set[Statement]) -> bool:
    """Whether kept code asks a base for the classes that derive from it, or what that has put them into."""
    index, nodes = project.index, [each.node for each in kept]
    if base.node not in nodes:
        return False
    told = base.own_methods.get(OF_BASES)
    names, attributes = noted_in(_parsed(base)) if told else (set[str](), set[str]())
    asked: list[cst.CSTNode] = [node for name in (*attributes, SUBCLASSES) for node in index.attributes(name)]
    asked += [node for node in index.within(base.node, cst.Name) if node.value in names] if names else []
    read = [node for node in asked if any(index.holds(each, node) for each in nodes)]
    return any(names & each.uses for each in kept if each.node is not base.node) or any(
        told is None or not index.holds(told, node) for node in read
    )


def _noting(project: Project, statement: Statement) -> dict[str, cst.ClassDef]:
    """The metaclasses that note the class that a statement defines, by their names."""
    cls = project.classes.get(statement.names[0]) if isinstance(statement.node, cst.ClassDef) else None
    parts = cls.metaclass.lineage if cls is not None and cls.metaclass is not None else ()
    return {part.name: part.node for part in parts if notes_classes(_parsed(part))}


def _parsed(cls: Class) -> ast.ClassDef:
    (node,) = ast.parse(code_for(cls.node)).body
    assert isinstance(node, ast.ClassDef)
    return node


def _may_note(statement: Statement, heads: Collection[tuple[str, Use]]) -> bool:
    """Whether it binds a variable, what a decorator may have made an object of, or a decorator that does not but wrap.

    `heads` are the names that decorators begin with, and how they are used.
    """
    node = statement.node
    if not isinstance(node, cst.FunctionDef | cst.ClassDef) or node.decorators:
        return True
    wraps = execution(statement.code).decorates
    return any(name in statement.names and use != wraps for name, use in heads)


def _read_in_body(statement: Statement) -> frozenset[str]:
    """The names that a statement uses other than in its decorators."""
    node = statement.node
    if not isinstance(node, cst.FunctionDef | cst.ClassDef) or not node.decorators:
        return statement.uses
    return global_names(cst.Module([node.with_changes(decorators=[])]).code)
