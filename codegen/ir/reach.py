"""Which of a file's statements a script needs."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ..source.names import global_names
from .project import Project, Statement


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
    """Whether a decorator may put the definition into a variable that kept code reads."""
    decorators = (
        statement.node.decorators if isinstance(statement.node, cst.FunctionDef | cst.ClassDef) else ()
    )
    names = {name.value for each in decorators for name in project.index.within(each, cst.Name)}
    needed = _closure(project, names)
    variables = {name for each in needed & kept if _may_note(each) for name in each.names}
    return any(variables & _read_in_body(each) for each in kept - needed)


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
