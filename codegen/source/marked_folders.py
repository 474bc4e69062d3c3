"""The folders of projects that rootutils and pyrootutils find by what marks them."""

from __future__ import annotations

import ast
from pathlib import Path

from .repository import PROJECT_MARKS

ROOT_FINDERS = frozenset({"setup_root", "find_root", "set_root"})
"""Functions of rootutils and pyrootutils, which find a folder above a file by what marks it."""


def marked(start: Path, indicator: str | None) -> Path | None:
    """The nearest folder at or above `start` that holds one of the indicators, which are given as code."""
    try:
        found = ast.literal_eval(indicator) if indicator else (".project-root", *PROJECT_MARKS)
    except ValueError:
        return None
    marks = [found] if isinstance(found, str) else list(found)
    folders = (start, *start.parents)
    return next((each for each in folders if any((each / mark).exists() for mark in marks)), None)
