"""A source file: its text, its syntax tree, and where in it each node stands."""

from __future__ import annotations

import ast
import keyword
import re
import tokenize
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from .. import messages
from ..diagnostics import CompileError, Diagnostic, Span


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
class Source:
    """One Python file, parsed, or several that were made one; `path` is shown as the user wrote it."""

    path: str
    text: str
    module: cst.Module
    joined_lines: tuple[Line, ...] = ()  # none: the lines are the file's own
    files: Mapping[str, list[str]] = field(default_factory=dict)  # the lines of those that were joined

    @classmethod
    def read(cls, path: Path) -> Source:
        """The file at `path`.

        Raises CompileError where it cannot be read, decoded or parsed.
        """
        shown = path.as_posix()
        return cls.parse(shown, cls.decoded(shown, path))

    @staticmethod
    def decoded(shown: str, path: Path) -> str:
        """The text of the file at `path`; its coding cookie and line ends are honoured.

        Raises CompileError where it cannot be read or decoded.
        """
        try:
            data = path.read_bytes()
            encoding, _ = tokenize.detect_encoding(iter(data.splitlines(keepends=True)).__next__)
            text = re.sub("\r\n?", "\n", data.decode(encoding))
        except OSError as error:
            raise CompileError([messages.unreadable(shown, error.strerror or str(error))]) from None
        except (SyntaxError, UnicodeError, LookupError) as error:
            raise CompileError([messages.undecodable(shown, str(error))]) from None
        if "\0" in text:
            raise CompileError([messages.undecodable(shown, "it holds null bytes")])
        return text.removeprefix("\ufeff")

    @classmethod
    def parse(cls, path: str, text: str) -> Source:
        """`text` as Python source.

        Raises CompileError where it cannot be parsed.
        """
        with _refusing(path, text):
            compile(text, path, "exec", dont_inherit=True)  # finds what the parser lets pass; nothing is run
            module = cst.parse_module(text)
        if unicodedata.normalize("NFKC", text) != text:
            module = module.visit(_NormalNames())
            text = module.code
        return cls(path, text, module)

    @classmethod
    def joined(cls, path: str, lines: list[Line], files: Mapping[str, list[str]]) -> Source:
        """Lines of several files as one source.

        Raises CompileError where they cannot be parsed together.
        """
        source = cls.parse(path, "\n".join(line.text for line in lines) + "\n")
        return cls(path, source.text, source.module, tuple(lines), files)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _positions(self) -> Mapping[cst.CSTNode, CodeRange]:
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        positions: Mapping[cst.CSTNode, CodeRange] = wrapper.resolve(PositionProvider)
        return positions

    def span(self, node: cst.CSTNode) -> Span:
        """Where `node`, a node of this file's own tree, stands; one that has been changed, where its parts do."""
        places = list(self._places(node))
        start, end = places[0].start, places[-1].end
        if not self.joined_lines:
            return Span(self.path, start.line, start.column + 1, end.line, end.column + 1)
        first = self.joined_lines[min(start.line, len(self.joined_lines)) - 1]
        last = self.joined_lines[min(end.line, len(self.joined_lines)) - 1]
        columns = first.columns(start.column, end.column)[0], last.columns(start.column, end.column)[1]
        return Span(first.path, first.number, columns[0] + 1, max(last.number, first.number), columns[1] + 1)

    def _places(self, node: cst.CSTNode) -> Iterator[CodeRange]:
        if node in self._positions:
            yield self._positions[node]
        else:
            yield from (place for child in node.children for place in self._places(child))

    def line_of(self, span: Span) -> str:
        lines = self.files.get(span.path, self.lines)
        return lines[span.line - 1] if span.line <= len(lines) else ""


def syntax_tree(path: str, text: str) -> ast.Module:
    """The text's syntax tree. Raises CompileError where it has none."""
    with _refusing(path, text):
        return ast.parse(text, path)


@contextmanager
def _refusing(path: str, text: str) -> Iterator[None]:
    """Raises CompileError where Python or the parser cannot read the text."""
    try:
        yield
    except cst.ParserSyntaxError as error:
        place = error.raw_line, error.raw_column + 1
        raise CompileError([_syntax_error(path, text, *place, "it ends too early")]) from None
    except SyntaxError as error:
        raise CompileError([_refused(path, text, error)]) from None
    except (ValueError, OverflowError) as error:
        raise CompileError([messages.undecodable(path, str(error))]) from None
    except (RecursionError, MemoryError):
        raise CompileError([messages.too_deep(path)]) from None


class _NormalNames(cst.CSTTransformer):
    """Writes identifiers as Python reads them: full width letters and ligatures are plain ones to it."""

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        plain = unicodedata.normalize("NFKC", updated_node.value)
        return updated_node if keyword.iskeyword(plain) else updated_node.with_changes(value=plain)


def _refused(path: str, text: str, error: SyntaxError) -> Diagnostic:
    reason = error.msg.partition(". ")[0].rstrip(".")  # what else Python guesses is of no use
    return _syntax_error(path, text, error.lineno or 1, error.offset or 1, reason)


def _syntax_error(path: str, text: str, line: int, column: int, reason: str) -> Diagnostic:
    span = Span(path, line, column, line, column + 1)
    lines = text.split("\n")
    return messages.syntax_error(span, lines[line - 1] if line <= len(lines) else "", reason)
