"""A script, part by part, with where each comes from and why it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

Kind = Literal["yours", "rewritten", "runtime", "loop", "import", "head", "edit", "earlier"]
"""The user's code, word for word or not; ddpgen's runtime; the loop and what is round it; what stands at the top; the
user's edits; what an earlier build wrote and today's would not."""


@dataclass(frozen=True, order=True)
class Place:
    """Lines of a file, from 1; `path` is as people see it."""

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.path}:{self.first}" + (f"-{self.last}" if self.last > self.first else "")


@dataclass(frozen=True)
class Reason:
    """Why something is there, and the places that say so."""

    sentence: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Part:
    """Neighbouring lines of the script, from 1, that are there for one reason."""

    first: int
    last: int
    kind: Kind
    name: str
    origin: Place | None  # what they were made from: lines of the user's, or of ddpgen's
    reason: Reason


@dataclass(frozen=True)
class Explanation:
    """All parts of a script, and the texts that they come from."""

    script: str
    text: str
    parts: tuple[Part, ...]
    files: Mapping[str, str]  # the user's, by the paths in the parts' places
    lines: Mapping[int, Place] = field(default_factory=dict)  # line by line, where that is known so well

    def at(self, line: int) -> Part | None:
        """The part that a line belongs to."""
        return next((part for part in self.parts if part.first <= line <= part.last), None)

    def as_dict(self) -> dict[str, object]:
        return {"script": self.script, "parts": [asdict(part) for part in self.parts]}
