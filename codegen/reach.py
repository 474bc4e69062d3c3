"""Which of a file's statements a script needs."""

from __future__ import annotations

from collections.abc import Iterable

from .project import Project, Statement


def reached(project: Project, roots: Iterable[str]) -> tuple[Statement, ...]:
    """The statements that bind the names in `roots`, those that do more than bind names, and all that they use."""
    binding: dict[str, list[Statement]] = {}
    for statement in project.statements:
        for name in statement.names:
            binding.setdefault(name, []).append(statement)
    kept: dict[Statement, None] = {}
    waiting = [
        *(s for s in project.statements if s.always),
        *(s for name in roots for s in binding.get(name, ())),
    ]
    while waiting:
        statement = waiting.pop()
        if statement not in kept:
            kept[statement] = None
            waiting.extend(found for name in sorted(statement.uses) for found in binding.get(name, ()))
    return tuple(statement for statement in project.statements if statement in kept)
