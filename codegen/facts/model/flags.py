"""Plain values under hooks' names, such as `self.setup = False`: Lightning calls no hook that cannot be called."""

from __future__ import annotations

from collections import defaultdict

import libcst as cst

from ...ir.project import Kind, Project
from ...lightning.api import IDLE_HOOKS
from ...values import Literal, values_of
from ..code.instances import Instances
from .assigned import assigned_value

ASKED_WHETHER_CALLABLE: dict[Kind, frozenset[str]] = {
    "module": IDLE_HOOKS,
    "data": frozenset({"setup", "teardown"}),
}
"""Hooks that Lightning leaves out where they cannot be called."""


def flag_places(project: Project) -> frozenset[tuple[cst.CSTNode, str]]:
    """Where attributes are set that are such values throughout, in all classes of a kind."""
    instances, values = Instances(project), values_of(project)
    places: dict[tuple[Kind, str], set[cst.CSTNode]] = defaultdict(set)
    for owner, name, place in values.stores():
        cls = instances.class_of(owner) or instances.class_named(owner)
        if cls is not None and name in ASKED_WHETHER_CALLABLE.get(cls.kind, ()):
            places[cls.kind, name].add(place)
    return frozenset(
        (place, name)
        for (kind, name), found in places.items()
        for place in found
        if all(_is_plain(project, each) for each in found) and not _is_method(project, kind, name)
    )


def _is_plain(project: Project, place: cst.CSTNode) -> bool:
    value = assigned_value(project, place)
    found = values_of(project).of(value) if value is not None else ()
    return bool(found) and all(isinstance(each, Literal) for each in found)


def _is_method(project: Project, kind: Kind, name: str) -> bool:
    return any(name in cls.methods for cls in project.classes.values() if cls.kind == kind)
