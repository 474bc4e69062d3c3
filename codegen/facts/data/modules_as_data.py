"""LightningModules that have loaders alone, and are given as `datamodule`: data modules by another base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from ...ir.project import LOADERS, Class, Project
from ...lightning.module_names import LOOKING_UP, OF_MODULES
from ...values import values_of
from ..code.instances import Instances
from ..trainer.methods import METHODS

MODULE, DATA = "LightningModule", "LightningDataModule"


def with_data_modules(project: Project) -> Project:
    """The project, in which such classes are data modules."""
    if not any(map(_is_mistaken, project.classes.values())):
        return project
    found = {part for cls in _given(project) for part in cls.lineage if part.kind == "module"}
    derived = (cls for cls in project.classes.values() if not found.isdisjoint(cls.lineage))
    if not found or not all(cls in found or _is_mistaken(cls) for cls in derived):
        return project
    bases = frozenset(base for cls in project.classes.values() for base in _bases(project, cls, found))
    return replace(project, classes=_derived_anew(project, found), data_bases=bases)


def members_of_model(cls: Class) -> list[str]:
    """What a class has that is for models, and for no data."""
    return sorted(cls.methods.keys() & (OF_MODULES | LOOKING_UP))


def derives_from_module(project: Project, cls: Class) -> bool:
    """Whether a data module is one that derives from LightningModule."""
    return any(base.value in project.data_bases for part in cls.lineage for base in part.node.bases)


def _is_mistaken(cls: Class) -> bool:
    has_loaders = not cls.methods.keys().isdisjoint(LOADERS)
    return cls.kind == "module" and has_loaders and not members_of_model(cls)


def _given(project: Project) -> Iterator[Class]:
    """Classes of which Trainers are given objects as data modules."""
    values, instances = values_of(project), Instances(project)
    for call in (each for method in METHODS for each in values.calls_of(method)):
        given = values.arguments(call, ["datamodule"]).get("datamodule")
        classes = map(instances.class_of, given.values if given else ())
        yield from (cls for cls in classes if cls is not None and _is_mistaken(cls))


def _bases(project: Project, cls: Class, found: set[Class]) -> Iterator[cst.CSTNode]:
    """Where a class names LightningModule as its base."""
    if cls in found or not found.isdisjoint(cls.lineage):
        nodes = (each.value for each in cls.node.bases)
        yield from (node for node in nodes if project.lightning_name(node) == MODULE)


def _derived_anew(project: Project, found: set[Class]) -> dict[str, Class]:
    """The classes, with those and what derives from them made data modules."""
    made: dict[Class, Class] = {}

    def renewed(cls: Class) -> Class:
        if cls not in made:
            is_data = not found.isdisjoint(cls.lineage)
            parents = tuple(renewed(each) if isinstance(each, Class) else each for each in cls.parents)
            parents = tuple(DATA if is_data and each == MODULE else each for each in parents)
            made[cls] = replace(cls, kind="data", parents=parents) if is_data else cls
        return made[cls]

    return {name: renewed(cls) for name, cls in project.classes.items()}
