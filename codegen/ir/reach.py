"""Which of a file's statements a script needs."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import libcst as cst

from ..index.search import code_for
from ..source.execution import notes_classes
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
    """Whether a decorator, or a metaclass, may put the definition into a variable that kept code reads."""
    decorators = (
        statement.node.decorators if isinstance(statement.node, cst.FunctionDef | cst.ClassDef) else ()
    )
    names = {name.value for each in decorators for name in project.index.within(each, cst.Name)}
    noting = _noting(project, statement)
    if any(each.node in noting.values() for each in kept):
        return True
    names |= noting.keys()
    needed = _closure(project, names)
    variables = {name for each in needed & kept if _may_note(each) for name in each.names}
    return any(variables & _read_in_body(each) for each in kept - needed)


def _noting(project: Project, statement: Statement) -> dict[str, cst.ClassDef]:
    """The metaclasses that note the class that a statement defines, by their names."""
    cls = project.classes.get(statement.names[0]) if isinstance(statement.node, cst.ClassDef) else None
    parts = cls.metaclass.lineage if cls is not None and cls.metaclass is not None else ()
    return {part.name: part.node for part in parts if _notes(part)}


def _notes(metaclass: Class) -> bool:
    (node,) = ast.parse(code_for(metaclass.node)).body
    return isinstance(node, ast.ClassDef) and notes_classes(node)


def _may_note(statement: Statement) -> bool:
    """Whether it binds a variable, or a function that a decorator may have made an object of."""
    node = statement.node
    return not isinstance(node, cst.FunctionDef | cst.ClassDef) or bool(node.decorators)


def _read_in_body(statement: Statement) -> frozenset[str]:
    """The names that a statement uses other than in its decorators."""
    node = statement.node
    if not isinstance(node, cst.FunctionDef | cst.ClassDef) or not node.decorators:
        return statement.uses
    return global_names(cst.Module([node.with_changes(decorators=[])]).code)
