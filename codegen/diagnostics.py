"""What ddpgen has to say about the user's code: a place, a stable code, a sentence; and its output forms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from .code_frame import code_frame

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

    def begins_within(self, outer: Span) -> bool:
        """Whether its first character is one of the other's."""
        first, last = (outer.line, outer.column), (outer.end_line, outer.end_column)
        return self.path == outer.path and first <= (self.line, self.column) < last


@dataclass(frozen=True)
class Diagnostic:
    """One finding; `code` is stable and is the name of the function in `messages` that made it."""

    code: str
    message: str
    span: Span | None = None
    source_line: str = ""
    severity: Severity = "error"
    subject: str = ""
    """What the message is about, where it stands there in backticks: it may be said of several at once."""


class CompileError(Exception):
    """The user's code or spec has errors: all that were found, in the order of their places."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_order(diagnostics)
        super().__init__("\n".join(map(format_text, self.diagnostics)))


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each once, in the order of their places."""
    return tuple(sorted(dict.fromkeys(diagnostics), key=_place))


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return (span.path, span.line, span.column) if span else ("", 0, 0)


def gathered(diagnostics: Iterable[Diagnostic]) -> list[list[Diagnostic]]:
    """Those that say the same of several places together."""
    same = dict[tuple[str, str], list[Diagnostic]]()
    for each in diagnostics:
        message = each.message.replace(f"`{each.subject}`", "") if each.subject else each.message
        same.setdefault((each.code, message), []).append(each)
    return list(same.values())


def format_text(first: Diagnostic, *others: Diagnostic, width: int | None = None) -> str:
    """`file:line:col: severity[code]: message`, then the source line with the place marked, cut to the `width`.

    `others` say the same of other places, whose lines follow.
    """
    subjects = dict.fromkeys(f"`{each.subject}`" for each in (first, *others))
    message = (
        first.message.replace(f"`{first.subject}`", ", ".join(subjects)) if first.subject else first.message
    )
    place = f"{_shown(first.span)}: " if first.span else ""
    lines = [f"{place}{first.severity}[{first.code}]: {message}"]
    before = first.span
    for each in (first, *others):
        if each.span and before and each.span.path != before.path:
            lines.append(_shown(each.span))
        lines += _frame(each, width)
        before = each.span
    return "\n".join(lines)


def _shown(span: Span) -> str:
    return f"{span.path}:{span.line}:{span.column}"


def _frame(diagnostic: Diagnostic, width: int | None) -> Iterator[str]:
    """The source line with the place marked, where there is one."""
    span, line = diagnostic.span, diagnostic.source_line
    if span and line.strip():
        end = span.end_column if span.end_line == span.line else len(line) + 1
        yield code_frame(line, span.line, span.column - 1, end - 1, width)


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


def format_all(diagnostics: Iterable[Diagnostic], form: Format, width: int | None = None) -> str:
    """All of `diagnostics`, as text for a terminal of that `width`, as a JSON array, or as GitHub annotations."""
    if form == "json":
        return json.dumps([asdict(diagnostic) for diagnostic in diagnostics], indent=2)
    if form == "github":
        return "\n".join(map(format_github, diagnostics))
    return "\n\n".join(format_text(*same, width=width) for same in gathered(diagnostics))
