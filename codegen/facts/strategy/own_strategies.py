"""Classes of the user's that derive from Lightning's strategies, where the spec says by which one is trained."""

from __future__ import annotations

from dataclasses import replace

from ...ir.project import Class, Project
from ...spec.load import LoadedSpec
from .sharding import SHARDING
from .strategy import WHOLE_MODEL

BASES = SHARDING | WHOLE_MODEL


def without_strategies(project: Project, loaded: LoadedSpec) -> Project:
    """The project, in which such classes stand for their bases, and are not reached."""
    if not loaded.is_given("trainer.strategy"):
        return project
    found = {cls.name: base for cls in project.classes.values() if not cls.within and (base := _base(cls))}
    return replace(project, displays={**project.displays, **found})


def _base(cls: Class) -> str:
    """The strategy of Lightning's that a class derives from alone; empty: it derives from none."""
    bases = [part for part in cls.resolution_order if isinstance(part, str) and part != "object"]
    return bases[0] if len(bases) == 1 and bases[0] in BASES else ""
