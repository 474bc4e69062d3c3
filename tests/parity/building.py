"""Scripts from cases, by the compiler in this process: a process for each would take longer than all the training."""

from __future__ import annotations

from pathlib import Path

from .cases import Case


class BuildError(Exception):
    """What the compiler has against a case."""


def build_script(case: Case, folder: Path) -> Path:
    """Build the case's script into `folder`, unless it stands there."""
    raise BuildError("no compiler yet")
