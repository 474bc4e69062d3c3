"""A source file: its text, its syntax tree, and where in it each node stands."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from . import messages
from .diagnostics import CompileError, Diagnostic, Span


@dataclass(frozen=True)
class Source:
    """One Python file, parsed; `path` is shown in diagnostics as the user wrote it."""

    path: str
    text: str
    module: cst.Module

    @classmethod
    def read(cls, path: Path) -> Source:
        """The file at `path`.

        Raises CompileError where it cannot be read, decoded or parsed.
        """
        shown = path.as_posix()
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CompileError([messages.unreadable(shown, error.strerror or str(error))]) from None
        return cls.parse(shown, data)

    @classmethod
    def parse(cls, path: str, data: bytes) -> Source:
        """`data` as Python source; its coding cookie and line ends are honoured.

        Raises CompileError where it cannot be decoded or parsed.
        """
        try:
            encoding, _ = tokenize.detect_encoding(iter(data.splitlines(keepends=True)).__next__)
            text = re.sub("\r\n?", "\n", data.decode(encoding))
        except (SyntaxError, UnicodeError, LookupError) as error:
            raise CompileError([messages.undecodable(path, str(error))]) from None
        if "\0" in text:
            raise CompileError([messages.undecodable(path, "it holds null bytes")])
        text = text.removeprefix("\ufeff")
        try:
            compile(text, path, "exec", dont_inherit=True)  # finds what the parser lets pass; nothing is run
            module = cst.parse_module(text)
        except cst.ParserSyntaxError as error:
            raise CompileError([_syntax_error(path, text, error.raw_line, error.raw_column + 1)]) from None
        except SyntaxError as error:
            raise CompileError([_syntax_error(path, text, error.lineno or 1, error.offset or 1)]) from None
        except (ValueError, OverflowError) as error:
            raise CompileError([messages.undecodable(path, str(error))]) from None
        except (RecursionError, MemoryError):
            raise CompileError([messages.too_deep(path)]) from None
        return cls(path, text, module)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _positions(self) -> Mapping[cst.CSTNode, CodeRange]:
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        positions: Mapping[cst.CSTNode, CodeRange] = wrapper.resolve(PositionProvider)
        return positions

    def span(self, node: cst.CSTNode) -> Span:
        """Where `node`, a node of this file's own tree, stands."""
        place = self._positions[node]
        start, end = place.start, place.end
        return Span(self.path, start.line, start.column + 1, end.line, end.column + 1)

    def line_of(self, span: Span) -> str:
        return self.lines[span.line - 1] if span.line <= len(self.lines) else ""


def _syntax_error(path: str, text: str, line: int, column: int) -> Diagnostic:
    span = Span(path, line, column, line, column + 1)
    lines = text.split("\n")
    return messages.syntax_error(span, lines[line - 1] if line <= len(lines) else "")
