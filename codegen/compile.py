"""The pipeline: a model file and a spec in, one script out."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from .analyze import Analysis, analyze
from .check import check, undefined_names
from .diagnostics import Diagnostic
from .format import black_mode, formatted
from .link import link
from .lower import lower
from .render import render
from .source import Source
from .spec import LoadedSpec


@dataclass(frozen=True)
class Compiled:
    """A script's text, and what the user should know of how it was made."""

    text: str
    notes: tuple[Diagnostic, ...]


def compile_script(
    model: Path, spec: LoadedSpec, model_name: str | None = None, data_name: str | None = None
) -> Compiled:
    """Read, analyze, lower, render, format and check.

    Raises CompileError with everything that is wrong with the user's code.
    """
    project = link(Source.read(model))
    found = analyze(project, spec, model_name, data_name)
    lowered = lower(found.project, found.statements, found.facts.model, bool(found.script.data_members))
    mode = black_mode(model.parent)
    text = render(found.script, lowered, project.imports, project.future_imports, mode.line_length)
    text = formatted(text, mode)
    check(text, mode, _methods(found), undefined_names(ast.parse(project.source.text)))
    return Compiled(text, found.notes)


def _methods(found: Analysis) -> list[tuple[str, str]]:
    """Every method of the user's classes that the script takes over."""
    classes = [cls for cls in (found.facts.model, found.facts.data) if cls]
    return [(part.name, method) for cls in classes for part in cls.lineage for method in part.own_methods]
