"""A source file: its text, its syntax tree, and where in it each node stands."""

from __future__ import annotations

import keyword
import re
import tokenize
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import cast

import libcst as cst
from libcst.metadata import CodeRange, PositionProvider

from ..diagnostics import CompileError, Span
from .source_text import Line, SourceText, decoded, refusing, syntax_error_at


@dataclass(frozen=True)
class Source(SourceText):
    """One Python file, parsed, or several that were made one."""

    module: cst.Module
    joined_lines: tuple[Line, ...] = ()  # none: the lines are the file's own
    files: Mapping[str, list[str]] = field(default_factory=dict)  # the lines of those that were joined

    @classmethod
    def read(cls, path: Path) -> Source:
        """The file at `path`.

        Raises CompileError where it cannot be read, decoded or parsed.
        """
        shown = path.as_posix()
        return cls.parse(shown, decoded(shown, path))

    @classmethod
    def parse(cls, path: str, text: str) -> Source:
        """`text` as Python source.

        Raises CompileError where it cannot be parsed.
        """
        with refusing(path, text):
            compile(text, path, "exec", dont_inherit=True)  # finds what the parser lets pass; nothing is run
            try:
                module = cst.parse_module(text)
            except cst.ParserSyntaxError as error:
                place = error.raw_line, error.raw_column + 1
                raise CompileError([syntax_error_at(path, text, *place, "it ends too early")]) from None
        if not text.isascii() and _has_other_names(text):
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

    def changed(self, changes: Iterable[Change]) -> Source:
        """The source with other code in the place of nodes, of which none holds another, or without their lines."""
        numbered = enumerate(self.lines, 1)
        lines = list(self.joined_lines) or [Line(self.path, number, text) for number, text in numbered]
        places = [(self._positions[node], code) for node, code in changes]
        for place, code in sorted(places, key=lambda each: each[0].start.column, reverse=True):
            line, start = lines[place.start.line - 1], place.start.column
            end = place.end.column
            if not code and (separator := SEPARATOR.match(line.text, end)):
                end = separator.end()
            text = line.text[:start] + code + line.text[end:]
            lines[place.start.line - 1] = line.with_edit(text, start, len(code), end - start)
        emptied = {
            place.start.line - 1 for place, _ in places if not lines[place.start.line - 1].text.strip()
        }
        left = [line for number, line in enumerate(lines) if number not in emptied]
        return Source.joined(self.path, left, self.files or {self.path: self.lines})

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def _positions(self) -> Mapping[cst.CSTNode, CodeRange]:
        return _Positions().of(self.module)

    def is_code(self, node: cst.CSTNode) -> bool:
        """Whether `node` stands in Python code, not in a configuration."""
        return self.span(node).path.endswith(".py")

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

    def has_place(self, node: cst.CSTNode) -> bool:
        """Whether `node` stands in the file, or a part of it does."""
        return next(self._places(node), None) is not None

    def _places(self, node: cst.CSTNode) -> Iterator[CodeRange]:
        if node in self._positions:
            yield self._positions[node]
        else:
            yield from (place for child in node.children for place in self._places(child))

    def as_written(self, node: cst.CSTNode) -> str:
        """The code of a node as the user has it, where it stands in one line: joined files have other names."""
        span = self.span(node) if self.has_place(node) else None
        if span is None or span.line != span.end_line:
            return self.module.code_for_node(node).strip()
        return self.line_of(span)[span.column - 1 : span.end_column - 1]

    def line_of(self, span: Span) -> str:
        lines = self.files.get(span.path, self.lines)
        return lines[span.line - 1] if span.line <= len(lines) else ""


class _Positions(PositionProvider):
    """libcst's, without the wrapper that goes through the tree once more for nothing."""

    def of(self, module: cst.Module) -> Mapping[cst.CSTNode, CodeRange]:
        self._gen_impl(module)
        return cast(Mapping[cst.CSTNode, CodeRange], self._computed)


Change = tuple[cst.CSTNode, str]
"""A node within a line, and what stands there instead; nothing: it goes with what separates it from the next."""

FILLED = re.compile(r"\{[^{}]*[^\x00-\x7f][^{}]*\}")
"""What an f-string is filled with, which is a token of its own from Python 3.12 on."""


SEPARATOR = re.compile(r"\s*,\s*")


def _has_other_names(text: str) -> bool:
    """Whether identifiers, and not texts and comments alone, may have letters beyond ASCII."""
    return any(
        not each.string.isascii() and (each.type == tokenize.NAME or FILLED.search(each.string))
        for each in tokenize.generate_tokens(StringIO(text).readline)
    )


class _NormalNames(cst.CSTTransformer):
    """Writes identifiers as Python reads them: full width letters and ligatures are plain ones to it."""

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        plain = unicodedata.normalize("NFKC", updated_node.value)
        return updated_node if keyword.iskeyword(plain) else updated_node.with_changes(value=plain)
