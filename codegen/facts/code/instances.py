"""The project's classes, by the values that the analysis of values has of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...ir.project import Class, Kind, Project
from ...values import Class as ClassValue
from ...values import Instance, Value, Values, ValueSet, values_of


@dataclass(frozen=True)
class Instances:
    """Tells what values are instances of."""

    project: Project

    @cached_property
    def values(self) -> Values:
        return values_of(self.project)

    @cached_property
    def _classes(self) -> dict[cst.ClassDef, Class]:
        return {cls.node: cls for cls in self.project.classes.values()}

    @cached_property
    def trained(self) -> frozenset[cst.CSTNode]:
        """The calls that make the models that Trainers are given."""
        calls = self.values.calls_of("Trainer.fit")
        given = (self.values.arguments(call, ["model"]).get("model") for call in calls)
        return frozenset(each.node for found in given if found for each in found.values.instances)

    def class_of(self, value: Value) -> Class | None:
        """The project's class that a value is an instance of."""
        return self.class_named(value.cls) if isinstance(value, Instance) else None

    def class_named(self, value: Value | None) -> Class | None:
        """The project's class that a value is."""
        if not isinstance(value, ClassValue):
            return None
        return self._classes.get(value.node) or self.project.classes.get(value.name)

    def name_of(self, value: Value, kind: Kind) -> str | None:
        """The name of that class, where it is of the kind."""
        cls = self.class_of(value)
        return cls.name if cls and cls.kind == kind else None

    def names(self, values: ValueSet, kind: Kind) -> list[str | None]:
        """The names of all classes of the kind that something may be an instance of; None: of something else."""
        return [self.name_of(each, kind) for each in values.without_none]

    def lightning_names(self, value: Value) -> set[str]:
        """The names in Lightning's API of what a value is an instance of."""
        return set(self.values.lightning_names(value.cls)) if isinstance(value, Instance) else set()

    def is_trainer(self, value: Value) -> bool:
        return "Trainer" in self.lightning_names(value)
