"""What ddpgen has to say about the user's code: a place, a stable code, a sentence; and its output forms."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
Format = Literal["text", "json", "github"]


@dataclass(frozen=True, order=True)
class Span:
    """A stretch of a source file; lines and columns count from 1, the end column is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Diagnostic:
    """One finding; `code` is stable and is the name of the function in `messages` that made it."""

    code: str
    message: str
    span: Span | None = None
    source_line: str = ""
    severity: Severity = "error"


class CompileError(Exception):
    """The user's code or spec has errors: all that were found, in the order of their places."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=_place))
        super().__init__("\n".join(map(format_text, self.diagnostics)))


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return (span.path, span.line, span.column) if span else ("", 0, 0)


def format_text(diagnostic: Diagnostic) -> str:
    """`file:line:col: severity[code]: message`, then the source line with the place marked."""
    head = f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    span = diagnostic.span
    if span is None:
        return head
    lines = [f"{span.path}:{span.line}:{span.column}: {head}"]
    if diagnostic.source_line.strip():
        end = span.end_column if span.end_line == span.line else len(diagnostic.source_line) + 1
        # tabs stay tabs, so that the marks stand below their place
        indent = "".join("\t" if char == "\t" else " " for char in diagnostic.source_line[: span.column - 1])
        gutter = f"{span.line:>5} | "
        lines.append(gutter + diagnostic.source_line)
        lines.append(" " * len(gutter) + indent + "^" * max(end - span.column, 1))
    return "\n".join(lines)


def format_github(diagnostic: Diagnostic) -> str:
    """A GitHub Actions annotation."""
    level = "notice" if diagnostic.severity == "note" else diagnostic.severity
    message = diagnostic.message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    span = diagnostic.span
    if span is None:
        return f"::{level} title={diagnostic.code}::{message}"
    path = span.path.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    place = f"file={path},line={span.line},col={span.column},endLine={span.end_line}"
    return f"::{level} {place},title={diagnostic.code}::{message}"


def format_all(diagnostics: Iterable[Diagnostic], form: Format) -> str:
    """All of `diagnostics`, as text, as a JSON array, or as GitHub annotations."""
    if form == "json":
        return json.dumps([asdict(diagnostic) for diagnostic in diagnostics], indent=2)
    formatted = map(format_github if form == "github" else format_text, diagnostics)
    return ("\n" if form == "github" else "\n\n").join(formatted)
