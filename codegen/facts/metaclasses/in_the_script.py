"""What becomes of metaclasses in the script: of their bases, and of calls of the classes in a main of its own."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.metaclasses import makes_objects
from ...ir.project import Class, Project


def types_asked(project: Project) -> frozenset[cst.CSTNode]:
    """Lightning's names in bases such as `type(LightningModule)`, in whose place `type` stands in the script."""
    bases = (base.value for cls in project.classes.values() for base in cls.node.bases)
    return frozenset(filter(None, map(project.type_asked, bases)))


def check_made_by_call(project: Project, *classes: Class | None) -> Iterator[Diagnostic]:
    """Classes of which the script's own `main` would make objects, with arguments that a metaclass sees."""
    for cls in classes:
        if cls is not None and makes_objects(cls) and cls.metaclass is not None:
            yield messages.metaclass_without_main(
                (project.source, cls.node.name), cls.name, cls.metaclass.name
            )
