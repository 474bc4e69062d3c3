"""What a run computes in: `precision`, and the plugins that stand for it (19)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst

from ...ir.project import Project
from ...spec.precision import DTYPES, FULL, is_mixed, precision_named
from ...values import Literal, values_of
from .arguments import Argument, arguments

SCALED = "16-mixed"
"""The one whose losses are scaled, as small gradients would vanish in it."""


@dataclass(frozen=True)
class PrecisionFacts:
    """The precisions that a run may have; where there are several, it is known only when the script runs."""

    names: frozenset[str] = frozenset({FULL})
    device: str | None = None  # whose operations choose their types, where a plugin says

    @property
    def only(self) -> str | None:
        """The one that it has."""
        return next(iter(self.names)) if len(self.names) == 1 else None

    @property
    def is_full(self) -> bool:
        """Whether it surely is the full one."""
        return self.only == FULL

    @property
    def scales(self) -> bool:
        """Whether losses may be scaled."""
        return SCALED in self.names

    @property
    def converts(self) -> bool:
        """Whether parameters and inputs may be converted."""
        return any(not is_mixed(name) and name != FULL for name in self.names)

    @property
    def dtype(self) -> str:
        """The type of the one that it has, as code."""
        return f"torch.{DTYPES[self.only]}" if self.only else ""


FULL_PRECISION = PrecisionFacts()


def open_precision(
    project: Project, trainers: Iterable[cst.Call], expected: tuple[str, ...]
) -> PrecisionFacts:
    """What the Trainers of a main may compute in, where that is no literal, or not the same for all of them."""
    names = {name for call in trainers for name in _names(project, arguments(project, call, expected))}
    return PrecisionFacts(frozenset(names))


def _names(project: Project, told: Iterable[Argument]) -> Iterator[str]:
    """The precisions that one Trainer may be told."""
    given = [each for each in told if each.name == "precision"]
    if not any(each.is_sure for each in given):
        yield FULL
    for argument in given:
        values = values_of(project).of(argument.value)
        names = [precision_named(each.value) if isinstance(each, Literal) else None for each in values]
        known = [name for name in names if name]
        yield from known if len(known) == len(names) else DTYPES
