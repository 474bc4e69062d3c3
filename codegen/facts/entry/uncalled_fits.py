"""Functions that train, where nothing in their file calls them: another file starts the training."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...source.repository import repository_of
from ...values import values_of

ASKED_FOR_A_MAIN = frozenset("no-data missing-argument several-models several-data-modules".split())
"""What a script's own main needs to be told."""

MOST_FILES, MOST_BYTES = 200, 1_000_000
"""So many are looked into, none of them larger."""


def with_start_asked(project: Project, diagnostics: Collection[Diagnostic]) -> list[Diagnostic]:
    """For the file that starts the training, rather than for what a main of the script's own would need."""
    others = [each for each in diagnostics if each.code not in ASKED_FOR_A_MAIN]
    function = _idle_function(project) if len(others) < len(diagnostics) else None
    if function is None:
        return list(diagnostics)
    return [messages.starts_nothing(*_told(project, function)), *others]


def training_left_out(project: Project) -> Iterator[Diagnostic]:
    """What the user is told where the script has a main of its own beside a function that trains."""
    if function := _idle_function(project):
        yield messages.training_left_out(*_told(project, function))


def _told(project: Project, function: cst.FunctionDef) -> tuple[messages.At, str, list[str]]:
    """Where a function stands, its name, and files that seem to call it."""
    name = function.name.value
    return (project.source, function.name), name, [*islice(_callers(Path(project.source.path), name), 2)]


def _idle_function(project: Project) -> cst.FunctionDef | None:
    """A function of the entry's that fits a model, and that nothing which the entry does may call."""
    values = values_of(project)
    for call in values.calls_of("Trainer.fit"):
        function = project.index.ancestor(call, cst.FunctionDef)
        if isinstance(function, cst.FunctionDef) and _is_own(project, function):
            return None if values.is_reached(function) else function
    return None


def _is_own(project: Project, function: cst.FunctionDef) -> bool:
    return project.source.span(function.name).path == project.source.path


def _callers(entry: Path, function: str) -> Iterator[str]:
    """Files that seem to import the entry and to call it: in its folder, and in those above in its repository."""
    imports = re.compile(rf"^\s*(?:from|import)\b[^#\n]*\b{re.escape(entry.stem)}\b", re.M)
    calls = re.compile(rf"\b{re.escape(function)}\(")
    for path in islice(_python_files(entry), MOST_FILES):
        text = _text(path) if path.name not in (entry.name, "__init__.py") else ""
        if imports.search(text) and calls.search(text):
            yield Path(os.path.relpath(path, Path.cwd())).as_posix()


def _python_files(entry: Path) -> Iterator[Path]:
    repository = repository_of(entry.resolve())
    for folder in entry.resolve().parents:
        yield from sorted(each for each in folder.glob("*.py") if each.is_file())
        if repository is None or folder == repository:
            return


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace") if path.stat().st_size < MOST_BYTES else ""
    except OSError:
        return ""
