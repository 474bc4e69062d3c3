"""A YAML file as plain data, with the place of every key and value; what YAML forbids is found here."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import yaml

from .. import messages
from ..diagnostics import CompileError, Diagnostic, Span

KeyPath = tuple[Any, ...]

# Enough for any spec; a bound, because aliases can make a small file expand without end.
MAX_BYTES = 256 * 1024
MAX_VALUES = 20_000
MAX_PROBLEMS = 100

# Down to here, keys are names of settings: text, whatever else YAML takes `5` or `on` for.
NAMES_DEPTH = 2

BLANK = "..."
"""What stands for a value that is still to be written; a string of three dots stands in quotes."""

_TAG = "tag:yaml.org,2002:"
_SCALARS = frozenset(_TAG + name for name in ("null", "bool", "int", "float", "str"))
_BROKEN = object()


class _Loader(yaml.SafeLoader):
    """YAML as Lightning's command line reads it: `1e-3` is a number, and nothing is a date."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in (_TAG + "timestamp", _TAG + "value")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    _TAG + "float",
    re.compile(r"^[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)[eE][-+]?[0-9]+$"),
    list("-+0123456789."),
)


@dataclass(frozen=True)
class Position:
    """Where a value stands, and its key; a value that spans lines or is left empty stands at its key."""

    key: Span
    value: Span


@dataclass(frozen=True)
class YamlFile:
    """The file's data without what is broken in it, which `problems` lists."""

    path: str
    lines: tuple[str, ...]
    data: Any
    positions: Mapping[KeyPath, Position]
    problems: tuple[Diagnostic, ...]
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # files that values stand in, too
    notes: tuple[Diagnostic, ...] = ()  # what the user should know of it

    def keys(self, path: KeyPath) -> list[Any]:
        """What the mapping or list at `path` holds."""
        return self._children.get(path, [])

    @cached_property
    def _children(self) -> dict[KeyPath, list[Any]]:
        found: dict[KeyPath, list[Any]] = {}
        for key in self.positions:
            if key:
                found.setdefault(key[:-1], []).append(key[-1])
        return found

    def position(self, path: KeyPath) -> Position:
        """The place of `path`, or of the nearest mapping round it that the file has."""
        while path not in self.positions:
            path = path[:-1]
        return self.positions[path]

    def place(self, span: Span) -> messages.Place:
        return _place(self.others.get(span.path, self.lines), span)


def read_yaml(path: str, data: bytes, *, last_counts: bool = False) -> YamlFile:
    """`data` as YAML; of a key that is given twice the last one may count, as it does for LightningCLI.

    Raises CompileError where it cannot be read at all.
    """
    if len(data) > MAX_BYTES:
        raise CompileError([messages.yaml_too_large(path, f"{MAX_BYTES // 1024} KiB")])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CompileError([messages.yaml_undecodable(path, str(error))]) from None
    lines = tuple(re.split("\r\n|[\n\r\x85\u2028\u2029]", text))
    try:
        return _read(path, text, lines, last_counts)
    except RecursionError:
        raise CompileError([messages.yaml_too_deep(path)]) from None


def _read(path: str, text: str, lines: tuple[str, ...], last_counts: bool) -> YamlFile:
    loader, root = _compose(path, text, lines)
    top = Span(path, 1, 1, 1, 1)
    if root is None:
        return YamlFile(path, lines, None, {(): Position(top, top)}, ())
    reader = _Reader(path, lines, loader, last_counts)
    value = reader.read(root, (), top)
    data = None if value is _BROKEN else value
    return YamlFile(path, lines, data, reader.positions, tuple(reader.problems), notes=tuple(reader.notes))


def _compose(path: str, text: str, lines: tuple[str, ...]) -> tuple[_Loader, yaml.Node | None]:
    try:
        loader = _Loader(text)
        return loader, loader.get_single_node()
    except yaml.reader.ReaderError as error:
        before = re.split("\r\n|[\n\r\x85\u2028\u2029]", text[: error.position])
        span = Span(path, len(before), len(before[-1]) + 1, len(before), len(before[-1]) + 2)
        reason = f"the character U+{ord(text[error.position]):04X} is not allowed"
    except yaml.MarkedYAMLError as error:
        span = _span(path, error.problem_mark or error.context_mark)
        reason = ": ".join(part for part in (error.context, error.problem) if part)
    except (ValueError, OverflowError) as error:
        # an escape such as "\UFFFFFFFF", which PyYAML hands to chr() unchecked
        span = Span(path, 1, 1, 1, 1)
        reason = f"an escape in a string names no character ({error})"
    raise CompileError([messages.yaml_syntax_error(_place(lines, span), reason)])


class _Reader:
    """Turns nodes into data, noting where each stands and what is wrong with it."""

    def __init__(self, path: str, lines: tuple[str, ...], loader: _Loader, last_counts: bool) -> None:
        self.path = path
        self.lines = lines
        self.loader = loader
        self.positions: dict[KeyPath, Position] = {}
        self.last_counts = last_counts
        self.problems: dict[Diagnostic, None] = {}
        self.notes: dict[Diagnostic, None] = {}
        self.seen = 0
        self.open: set[int] = set()

    def read(self, node: yaml.Node, path: KeyPath, key: Span) -> Any:
        """The data of `node`, or _BROKEN."""
        in_line = isinstance(node, yaml.ScalarNode) and node.start_mark.index < node.end_mark.index
        flow = isinstance(node, yaml.CollectionNode) and node.flow_style
        self.positions[path] = Position(key, _span(self.path, node) if in_line or flow else key)
        if id(node) in self.open:
            return self.broken(messages.yaml_alias_in_itself(self.place(key)))
        self.count(key)
        self.open.add(id(node))
        try:
            return self.convert(node, path, key)
        finally:
            self.open.remove(id(node))

    def convert(self, node: yaml.Node, path: KeyPath, key: Span) -> Any:
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
            return self.sequence(node, path)
        if isinstance(node, yaml.ScalarNode) and node.tag in _SCALARS:
            return self.scalar(node)
        return self.broken(
            messages.yaml_tag(self.place(_span(self.path, node)), node.tag.replace(_TAG, "!!"))
        )

    def mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[Hashable, Any]:
        result: dict[Hashable, Any] = {}
        for key, key_node, value_node in self.entries(node, len(path) < NAMES_DEPTH):
            value = self.read(value_node, (*path, key), _span(self.path, key_node))
            if value is not _BROKEN:
                result[key] = value
        return result

    def sequence(self, node: yaml.SequenceNode, path: KeyPath) -> list[Any]:
        items = [self.read(item, (*path, i), _first_line(self, item)) for i, item in enumerate(node.value)]
        return [item for item in items if item is not _BROKEN]

    def scalar(self, node: yaml.ScalarNode) -> Any:
        place = self.place(_span(self.path, node))
        if node.value == BLANK and node.style is None:
            return self.broken(messages.yaml_blank(place))
        try:
            value = self.loader.construct_object(node)
            str(value).encode()
        except UnicodeEncodeError:
            return self.broken(messages.yaml_surrogate(place))
        except (ValueError, LookupError, OverflowError, yaml.YAMLError):
            return self.broken(messages.yaml_bad_scalar(place, node.tag.removeprefix(_TAG)))
        return value

    def entries(self, node: yaml.MappingNode, as_text: bool) -> list[tuple[Hashable, yaml.Node, yaml.Node]]:
        """The mapping's keys and values; its own win over those merged with `<<`."""
        own: dict[Hashable, tuple[yaml.Node, yaml.Node]] = {}
        merged: dict[Hashable, tuple[yaml.Node, yaml.Node]] = {}
        for key_node, value_node in node.value:
            self.count(_span(self.path, key_node))
            if key_node.tag == _TAG + "merge":
                for key, *pair in self.merged(key_node, value_node, as_text):
                    merged.setdefault(key, (pair[0], pair[1]))
                continue
            key = self.key(key_node, as_text)
            if key in own and not self.last_counts:
                self.broken(messages.yaml_duplicate_key(self.place(_span(self.path, key_node)), str(key)))
            elif key is not _BROKEN:
                if key in own:
                    self.notes[messages.yaml_last_key(self.place(_span(self.path, key_node)), str(key))] = (
                        None
                    )
                own[key] = (key_node, value_node)
        return [(key, *pair) for key, pair in {**merged, **own}.items()]

    def key(self, node: yaml.Node, as_text: bool) -> Any:
        if isinstance(node, yaml.ScalarNode) and node.tag in _SCALARS:
            value = self.scalar(node)
            return node.value if as_text and value is not _BROKEN else value
        return self.broken(messages.yaml_bad_key(self.place(_span(self.path, node))))

    def merged(
        self, key: yaml.Node, node: yaml.Node, as_text: bool
    ) -> Iterator[tuple[Hashable, yaml.Node, yaml.Node]]:
        """The entries of the mapping, or of each of the mappings, that stands after `<<`."""
        span = _span(self.path, key)
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        for source in sources:
            self.count(span)
            if not isinstance(source, yaml.MappingNode):
                self.broken(messages.yaml_bad_merge(self.place(span)))
            elif id(source) in self.open:
                self.broken(messages.yaml_alias_in_itself(self.place(span)))
            else:
                self.open.add(id(source))
                yield from self.entries(source, as_text)
                self.open.remove(id(source))

    def count(self, span: Span) -> None:
        self.seen += 1
        if self.seen > MAX_VALUES:
            raise CompileError([messages.yaml_expands_too_far(self.place(span), MAX_VALUES)])

    def broken(self, problem: Diagnostic) -> Any:
        self.problems[problem] = None
        if len(self.problems) == MAX_PROBLEMS:
            raise CompileError(self.problems)
        return _BROKEN

    def place(self, span: Span) -> messages.Place:
        return _place(self.lines, span)


def _first_line(reader: _Reader, node: yaml.Node) -> Span:
    """Where an item of a list starts, up to the end of its line."""
    span = _span(reader.path, node)
    if span.end_line == span.line:
        return span
    end = len(_place(reader.lines, span)[1]) + 1
    return Span(span.path, span.line, span.column, span.line, end)


def _span(path: str, at: yaml.Node | yaml.Mark | None) -> Span:
    if at is None:
        return Span(path, 1, 1, 1, 1)
    start, end = (at.start_mark, at.end_mark) if isinstance(at, yaml.Node) else (at, at)
    return Span(path, start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def _place(lines: tuple[str, ...], span: Span) -> messages.Place:
    return span, lines[span.line - 1] if span.line <= len(lines) else ""
