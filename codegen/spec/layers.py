"""Settings of several files, one over the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from ..diagnostics import Span
from .init_args.environment import AtRun, FromEnvironment, from_environment
from .yaml_file import KeyPath, Position, YamlFile

OBJECT_KEYS = frozenset({"class_path", "init_args", "dict_kwargs"})


@dataclass
class Layer:
    """Settings by their names, and where each stands."""

    data: dict[Any, Any] = field(default_factory=dict)
    positions: dict[KeyPath, Position] = field(default_factory=dict)

    @classmethod
    def of(cls, file: YamlFile) -> Layer:
        return cls(deepcopy(file.data or {}), dict(file.positions))

    @classmethod
    def single(cls, value: Any, place: Span) -> Layer:
        """A value under no name."""
        layer = cls()
        layer.put(("",), value, place)
        return layer.take(("",))

    def get(self, path: KeyPath) -> Any:
        """The value there; None: there is none."""
        value: Any = self.data
        for key in path:
            value = inside(value, key)
        return value

    def put(self, path: KeyPath, value: Any, place: Span) -> None:
        """Set a value, with the sections that it needs round it; all of it stands at one place."""
        section: Any = self.data
        for depth, key in enumerate(path[:-1], 1):
            if not isinstance(inside(section, key), dict | list):
                section[key] = {}
            section = section[key]
            self.positions.setdefault(path[:depth], Position(place, place))
        section[path[-1]] = value
        self._note(path, value, place)

    def _note(self, path: KeyPath, value: Any, place: Span) -> None:
        self.positions[path] = Position(place, place)
        items = value.items() if isinstance(value, Mapping) else enumerate(value) if _is_list(value) else ()
        for key, item in items:
            self._note((*path, key), item, place)

    def take(self, path: KeyPath) -> Layer:
        """Cut out what stands at a path, as a layer that has it under no name."""
        found = Layer({(): self.get(path[:-1]).pop(path[-1])})
        for key in [key for key in self.positions if key[: len(path)] == path]:
            found.positions[key[len(path) :]] = self.positions.pop(key)
        return found

    def graft(self, path: KeyPath, part: Layer) -> None:
        """Set what was cut out elsewhere."""
        self.put(path, part.data[()], part.positions[()].key)
        self.positions |= {(*path, *key): position for key, position in part.positions.items()}

    def exchange(self, path: KeyPath, part: Layer) -> None:
        """Set what was made of what stands there and something else; what it has left stands where it did."""
        before = {key: each for key, each in self.positions.items() if key[: len(path)] == path}
        self.graft(path, part)
        kept = {key: each for key, each in before.items() if key in self.positions}
        self.positions |= {key: each for key, each in kept.items() if key[len(path) :] not in part.positions}

    def nest(self) -> None:
        """Put what is named by `fit.trainer` where that leads, in turn, as jsonargparse does."""
        names = [*self.data] if any("." in str(key) for key in self.data) else []
        for name in names:
            self.graft(tuple(str(name).split(".")), self.take((name,)))

    def listed(self) -> Layer:
        """What was cut out, as a list, if it is none."""
        layer = Layer.single([], self.positions[()].key)
        for place, each in enumerate(self.items()):
            layer.data[()].append(each.data[()])
            layer.positions |= {(place, *key): position for key, position in each.positions.items()}
        return layer

    def items(self) -> Iterator[Layer]:
        """What was cut out; of a list what it holds, one by one."""
        value = self.data[()]
        if not _is_list(value):
            yield self
        for place, item in enumerate(value if _is_list(value) else ()):
            own = {key[1:]: each for key, each in self.positions.items() if key[:1] == (place,)}
            yield Layer({(): item}, own)

    def whole(self) -> Layer:
        """All of it under no name."""
        return Layer({(): self.data}, self.positions)

    def append(self, path: KeyPath, part: Layer) -> None:
        """Add what was cut out to a list, or to the one object that stands there alone."""
        if not isinstance(self.get(path), list):
            alone = [self.take(path)] if self.get(path) is not None else []
            self.put(path, [], (alone or [part])[0].positions[()].key)
            for each in alone:
                self.append(path, each)
        found = self.get(path)
        found.append(part.data[()])
        self.positions |= {(*path, len(found) - 1, *key): each for key, each in part.positions.items()}

    def resolve(self) -> None:
        """Put values in the place of what names them: `${data.batch_size}`, as OmegaConf has it."""
        self.data = _resolved(self.data, self)

    def named_so(self, name: str) -> Any:
        """What such a text names: arguments of an object under its own name, too."""
        section, *rest = name.split(".")
        found = self.get((section, *rest))
        return self.get((section, "init_args", *rest)) if found is None else found

    def named(self) -> frozenset[str]:
        """What its texts name."""
        return frozenset(name for _, text in self.unresolved() for name in NAMED.findall(text))

    def unresolved(self) -> Iterator[tuple[KeyPath, str]]:
        """The texts that name something still, and where they stand."""
        texts = ((path, each) for path, each in _leaves(self.data) if isinstance(each, str))
        yield from ((path, text) for path, text in texts if "${" in text)

    def at_run(self) -> list[tuple[KeyPath, AtRun]]:
        """The texts that a run has and that are no arguments of objects, and where they stand."""
        found = ((path, each) for path, each in _leaves(self.data) if isinstance(each, AtRun))
        return [(path, each) for path, each in found if "init_args" not in path]

    def describe(self, path: KeyPath, class_path: str | None = None) -> None:
        """Write out the short forms of an object: a class's name alone, or its arguments alone."""
        value, place = self.get(path), self.positions[path].key
        if isinstance(value, str):
            self.put(path, {"class_path": value}, place)
        elif not isinstance(value, Mapping):
            self.put(path, {}, place)
        elif not value.keys() & OBJECT_KEYS:
            arguments = self.take(path)
            self.put(path, {}, place)
            self.graft((*path, "init_args"), arguments)
        if class_path is not None and self.get((*path, "class_path")) is None:
            self.put((*path, "class_path"), class_path, place)

    def join_arguments(self, path: KeyPath) -> None:
        """Put what a constructor takes without naming it beside the arguments that it names."""
        any_others = (*path, "dict_kwargs")
        for name in [*(self.get(any_others) or ())]:
            self.graft((*path, "init_args", name), self.take((*any_others, name)))
        if self.get(any_others) is not None:
            self.take(any_others)


NAMED = re.compile(r"\$\{([\w.]+)\}")


def _resolved(value: Any, layer: Layer, within: frozenset[str] = frozenset()) -> Any:
    """What a value is; what is not known, or names itself, stays as it is written."""
    if isinstance(value, Mapping):
        return {key: _resolved(item, layer, within) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolved(item, layer, within) for item in value]
    if not isinstance(value, str):
        return value
    if whole := NAMED.fullmatch(value):
        found = layer.named_so(whole[1]) if value not in within else None
        return value if found is None else _resolved(found, layer, within | {value})
    text = NAMED.sub(lambda each: _text(_resolved(each[0], layer, within)), value)
    return from_environment(text) or text


def _text(value: Any) -> str:
    return value.text if isinstance(value, FromEnvironment) else str(value)


def _leaves(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    if not (isinstance(value, Mapping) or _is_list(value)):
        yield path, value
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if _is_list(value) else ()
    for key, item in items:
        yield from _leaves(item, (*path, key))


def inside(value: Any, key: Any) -> Any:
    """What a mapping or a list has there; None: nothing."""
    if isinstance(value, Mapping):
        return value.get(key)
    is_there = isinstance(value, list) and isinstance(key, int) and key < len(value)
    return value[key] if is_there else None


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
