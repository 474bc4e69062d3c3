"""Hooks of data modules that the code calls itself, and that a class has from Lightning's own."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...ir.project import Class, Project
from ...values import values_of
from ..code.instances import Instances

HOOKS = ("prepare_data", "setup", "teardown")


def inherited_hooks(project: Project) -> frozenset[str]:
    """Those that are asked of a data module whose class does not define them."""
    nodes = ((name, node) for name in HOOKS for node in project.index.attributes(name))
    return frozenset(
        name for name, node in nodes if any(name not in cls.methods for cls in _data(project, node))
    )


def _data(project: Project, node: cst.Attribute) -> Iterator[Class]:
    """The classes of data modules that something is asked of."""
    classes = map(Instances(project).class_of, values_of(project).of(node.value))
    yield from (cls for cls in classes if cls is not None and cls.kind == "data")
