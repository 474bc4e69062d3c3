"""The classes that one script is for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .project import Class, Kind


@dataclass(frozen=True)
class Served:
    """Classes whose objects a run may be given: for each of them the script would be the same."""

    models: tuple[Class, ...]
    data: tuple[Class, ...] = ()

    def __iter__(self) -> Iterator[Class]:
        yield from (*self.models, *self.data)

    def names(self, kind: Kind) -> tuple[str, ...]:
        return tuple(cls.name for cls in (self.models if kind == "module" else self.data))


def type_of(classes: tuple[Class, ...]) -> str:
    """What annotations say of their objects."""
    if any(cls.within for cls in classes):
        return "Any"
    return common_base(classes) or " | ".join(cls.name for cls in classes)


def common_base(classes: tuple[Class, ...]) -> str:
    """The nearest of the user's own classes that all are of; empty: there is none."""
    first, *others = classes
    shared = (base for base in first.lineage if all(base in other.lineage for other in others))
    return next((base.name for base in shared), "")
