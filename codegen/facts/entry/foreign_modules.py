"""Modules that other packages have for Lightning, such as `aim.pytorch_lightning`: importing them imports Lightning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project, Statement

OF_LIGHTNING = "lightning"
"""What their names say below the package's."""


def told_of_foreign_modules(project: Project, statements: Iterable[Statement]) -> Iterator[Diagnostic]:
    """What the user should know of those that the script goes on importing."""
    used = frozenset[str]().union(*(each.uses for each in statements))
    for bound in project.imports:
        below = bound.module.partition(".")[2]
        is_foreign = not (bound.is_local or bound.is_lightnings)
        if is_foreign and bound.name in used and OF_LIGHTNING in below:
            yield messages.needs_lightning(project.source.path, bound.module)
