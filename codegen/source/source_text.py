"""Python files as text: read, decoded, and each line with the place where it stood."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from .. import messages
from ..diagnostics import CompileError, Diagnostic, Span
from .text_file import read_bytes


@dataclass(frozen=True)
class Line:
    """A line of a source that several files went into, and where it stood before."""

    path: str
    number: int
    text: str
    edits: tuple[tuple[int, int, int], ...] = ()  # from the right: column, new length, old length
    whole: tuple[int, int] | None = None  # columns that all of it stands for, where it was no code before

    def with_edit(self, text: str, column: int, new: int, old: int) -> Line:
        return replace(self, text=text, edits=(*self.edits, (column, new, old)))

    def columns(self, start: int, end: int) -> tuple[int, int]:
        """The columns, from 0, that stood where these two stand now."""
        return self.whole or (self._column(start), self._column(end))

    def _column(self, column: int) -> int:
        for start, new, old in reversed(self.edits):
            if column >= start + new:
                column += old - new
            elif column > start:
                return start
        return column


@dataclass(frozen=True)
class SourceText:
    """One Python file; `path` is shown as the user wrote it."""

    path: str
    text: str


def decoded(shown: str, path: Path) -> str:
    """The text of the file at `path`; its coding cookie and line ends are honoured.

    Raises CompileError where it cannot be read or decoded.
    """
    try:
        data = read_bytes(path)
        encoding, _ = tokenize.detect_encoding(iter(data.splitlines(keepends=True)).__next__)
        text = re.sub("\r\n?", "\n", data.decode(encoding))
    except OSError as error:
        raise CompileError([messages.unreadable(shown, error.strerror or str(error))]) from None
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise CompileError([messages.undecodable(shown, str(error))]) from None
    if "\0" in text:
        raise CompileError([messages.undecodable(shown, "it holds null bytes")])
    return text.removeprefix("\ufeff")


def syntax_tree(path: str, text: str) -> ast.Module:
    """The text's syntax tree. Raises CompileError where it has none."""
    with refusing(path, text):
        return ast.parse(text, path)


@contextmanager
def refusing(path: str, text: str) -> Iterator[None]:
    """Raises CompileError where Python cannot read the text."""
    try:
        yield
    except SyntaxError as error:
        raise CompileError([_refused(path, text, error)]) from None
    except (ValueError, OverflowError) as error:
        raise CompileError([messages.undecodable(path, str(error))]) from None
    except (RecursionError, MemoryError):
        raise CompileError([messages.too_deep(path)]) from None


def _refused(path: str, text: str, error: SyntaxError) -> Diagnostic:
    reason = error.msg.partition(". ")[0].rstrip(".")  # what else Python guesses is of no use
    return syntax_error_at(path, text, error.lineno or 1, error.offset or 1, reason)


def syntax_error_at(path: str, text: str, line: int, column: int, reason: str) -> Diagnostic:
    span = Span(path, line, column, line, column + 1)
    lines = text.split("\n")
    return messages.syntax_error(span, lines[line - 1] if line <= len(lines) else "", reason)


def first_line(node: ast.stmt) -> int:
    """The line that a statement begins with, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])
