"""Which statements are the user's own main, and which stand above it, in the order in which Python runs them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import libcst as cst

from ...ir.project import Class, Project, Statement
from ...ir.reach import reached, used_by
from ...source.execution import execution
from ..code.effects import acts


def reached_by_main(project: Project, classes: Iterable[str] = ()) -> tuple[Statement, ...]:
    """All that the entry does at its module level, and what it needs, the classes included."""
    acting = [name for each in _of_entry(project) if acts(project, each) for name in each.names]
    return reached(project, [*classes, *acting])


def main_statements(
    project: Project, statements: Iterable[Statement], classes: Iterable[Class]
) -> tuple[Statement, ...]:
    """The statements that run the training; above them stands what the classes need."""
    needed = used_by(project, [cls.holder for cls in classes])
    early = set(_until_definitions(project, needed))
    own = [each for each in statements if each in set(_of_entry(project)) and each not in early]
    last = list[Statement]()
    for each in own:
        is_behind = acts(project, each) and any(acts(project, earlier) for earlier in last)
        if each not in needed or is_behind or _reads(each, last):
            last.append(each)
    return tuple(last)


def _reads(statement: Statement, earlier: Iterable[Statement]) -> bool:
    """Whether it looks up, as it is run, what one of the others binds."""
    bound = {name for each in earlier for name in each.names}
    return bool(execution(statement.code).looked_up & bound)


def _of_entry(project: Project) -> Iterator[Statement]:
    path = os.path.basename(project.source.path)
    return (each for each in project.statements if each.origin.path == path)


def _until_definitions(project: Project, statements: Iterable[Statement]) -> Iterator[Statement]:
    """What the entry does up to the last thing that one of the definitions needs as soon as it is run."""
    needed = _needed_by_definitions(project, statements)
    own = list(_of_entry(project))
    places = [place for place, each in enumerate(own) if each in needed and acts(project, each)]
    return iter(own[: max(places, default=-1) + 1])


def _needed_by_definitions(project: Project, statements: Iterable[Statement]) -> set[Statement]:
    """What decorators, bases, defaults and class bodies use, and what they call needs."""
    binding = {name: each for each in project.statements for name in each.names}
    definitions = [each for each in statements if _is_definition(each)]
    names = {name for each in definitions for name in execution(each.code).looked_up} & binding.keys()
    return used_by(project, [name for name in names if not isinstance(binding[name].node, cst.ClassDef)])


def _is_definition(statement: Statement) -> bool:
    return isinstance(statement.node, cst.FunctionDef | cst.ClassDef)
