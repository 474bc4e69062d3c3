"""Where constructors make loader hooks other names of methods, as far as it is known that they are nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...ir.aliases import bindings_of
from ...ir.project import Class, Project
from ...values import values_of
from ..code.instances import Instances

Store = tuple[cst.CSTNode, str]
"""A place at which an attribute is set, and its name."""


def aliasing_places(project: Project) -> frozenset[Store]:
    """Those of hooks that are known of each class that has them."""
    classes = [cls for cls in project.classes.values() if cls.kind != "other"]
    check = _Aliases(project)
    known = {store for cls in classes for store in check.bound(cls, True)}
    return frozenset(known.difference(*(check.bound(cls, False) for cls in classes)))


@dataclass(frozen=True)
class _Aliases:
    project: Project

    def bound(self, cls: Class, known: bool) -> Iterator[Store]:
        """The places at which a class's constructors bind hooks that are known, or that are not."""
        for part in cls.lineage:
            for hook, place in bindings_of(part.own_methods.get("__init__")):
                if self._is_known(cls, part, hook) is known:
                    yield place, hook

    def _is_known(self, cls: Class, binding: Class, hook: str) -> bool:
        name = binding.aliases[hook]
        method = cls.methods.get(name)
        is_plain = method is not None and not method.decorators and name not in self._set_of(cls)
        binders = [part for part in cls.lineage if hook in {*part.own_methods, *part.aliases}]
        own = {place for each, place in bindings_of(binding.own_methods["__init__"]) if each == hook}
        is_alone = len(own) == 1 and self._set_of(cls).get(hook, own) == own
        owners = [owner for owner, _, place in self._stores if place in own]
        return (
            is_plain and binders == [binding] and is_alone and all(binding in each.lineage for each in owners)
        )

    def _set_of(self, cls: Class) -> dict[str, set[cst.CSTNode]]:
        """Where attributes of a class's objects are set, by their names."""
        found: dict[str, set[cst.CSTNode]] = {}
        for owner, name, place in self._stores:
            if cls in owner.lineage or owner in cls.lineage:
                found.setdefault(name, set()).add(place)
        return found

    @cached_property
    def _stores(self) -> list[tuple[Class, str, cst.CSTNode]]:
        """Where attributes of objects and classes of the user's are set."""
        instances = Instances(self.project)
        found = list[tuple[Class, str, cst.CSTNode]]()
        for owner, name, place in values_of(self.project).stores():
            cls = instances.class_of(owner) or instances.class_named(owner)
            found += [(cls, name, place)] if cls is not None else []
        return found
