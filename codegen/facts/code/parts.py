"""LightningModules beside the one that is trained, which it may hold as a part."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ...ir.project import Class
from .instances import Instances
from .usage import class_level_names


def is_asked_of_part(instances: Instances, node: cst.Attribute) -> bool:
    """Whether a member is asked of a LightningModule that does not give it itself."""
    found = map(instances.class_of, instances.values.of(node.value))
    return any(
        cls and cls.kind == "module" and node.attr.value not in _own_names(instances, cls) for cls in found
    )


def _own_names(instances: Instances, cls: Class) -> Iterator[str]:
    """The names that a class defines, or that its code assigns."""
    index = instances.project.index
    for part in cls.lineage:
        for statement in part.node.body.body:
            yield from class_level_names(statement)
        yield from part.own_methods
        for assigned in index.within(part.node, cst.AssignTarget):
            if isinstance(assigned.target, cst.Attribute):
                yield assigned.target.attr.value
