"""Settings over others, as jsonargparse has it: objects go on with what they were told, mappings begin anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...diagnostics import Span
from ...spec.layers import OBJECT_KEYS, Layer, inside
from ...spec.yaml_file import KeyPath
from .kinds import OBJECT, Kind, Kinds

ADDED = "+"
"""Ends a key whose value is added to a list."""

ZERO = "zero"
"""What the build does with an optimizer stands beside what describes it."""


@dataclass(frozen=True)
class Doubt:
    """An argument that another class may go on with, or not."""

    place: Span
    name: str
    old: str  # classes
    new: str


@dataclass
class Merging:
    """Puts layers over others. What a value names, a class or a file, is read as it is put there."""

    kinds: Kinds
    read: Callable[[str, Span], Layer | None]  # a file that a value names, as seen from where that stands
    doubts: list[Doubt] = field(default_factory=list)

    def over(self, upper: Layer, lower: Layer) -> Layer:
        two = _Two(self, upper)
        data = two.fields((), upper.data, lower.data, self.kinds.of_section)
        kept = {path: each for path, each in lower.positions.items() if _has(data, path)}
        return Layer(data, kept | upper.positions)

    def value_over(self, value: Layer, lower: Any, kind: Kind) -> Layer:
        """One value, which stands under no name, over another."""
        upper, path = Layer(), ("",)
        upper.graft(path, value)
        upper.data[""] = _Two(self, upper).value(path, kind, lower)
        return upper.take(path)


@dataclass
class _Two:
    merging: Merging
    upper: Layer

    def value(self, path: KeyPath, kind: Kind, old: Any) -> Any:
        """What there is at a path, over what there was."""
        self._read(path, kind, old)
        new = self.upper.get(path)
        if isinstance(new, list) and kind.is_object:
            olds = old if isinstance(old, list) and len(old) == len(new) else [old] * len(new)
            return [self.value((*path, place), kind, each) for place, each in enumerate(olds)]
        if kind.is_object and is_described(new):
            return self._object(path, kind, new, old if is_described(old) else {})
        if not isinstance(new, Mapping):
            return new
        before = old if isinstance(old, Mapping) else {}
        if kind.fields:
            return self.fields(path, new, before, kind.fields)
        return {key: self.value((*path, key), _of_item(item), before.get(key)) for key, item in new.items()}

    def fields(
        self, path: KeyPath, new: Mapping[Any, Any], old: Mapping[Any, Any], kind: Callable[[str], Kind]
    ) -> dict[Any, Any]:
        """What some class, or the parser, takes by name."""
        found = dict(old)
        for key in list(new):
            name = key.removesuffix(ADDED) if isinstance(key, str) else key
            merge = self.value if name == key else self._added
            found[name] = merge((*path, key), kind(name), old.get(name))
        return found

    def _added(self, path: KeyPath, kind: Kind, old: Any) -> list[Any]:
        """A list, with something more."""
        new = self.value(path, kind, None)
        before = old if isinstance(old, list) else [old] if is_described(old) else []
        self._move(path, (*path[:-1], str(path[-1]).removesuffix(ADDED)), len(before), isinstance(new, list))
        return [*before, *(new if isinstance(new, list) else [new])]

    def _move(self, path: KeyPath, to: KeyPath, first: int, is_list: bool) -> None:
        """What was added stands behind what there was."""
        for key in [key for key in self.upper.positions if key[: len(path)] == path]:
            position, below = self.upper.positions.pop(key), key[len(path) :]
            place, *rest = (below or (None,)) if is_list else (0, *below)
            if place is not None:
                moved = (*to, first + place, *rest)
                self.upper.positions[moved] = position

    def _place(self, path: KeyPath) -> Span:
        return self.upper.positions[path].value

    # ---- objects -----------------------------------------------------------------------------------------

    def _read(self, path: KeyPath, kind: Kind, old: Any) -> None:
        """Put what a value names in its place."""
        value = self.upper.get(path)
        if isinstance(value, str) and (kind.is_object or kind.fields) and not kind.is_text:
            if (file := self.merging.read(value, self._place(path))) is not None:
                self.upper.graft(path, file)
            elif self.merging.kinds.names_class(value, kind, is_described(old)):
                self.upper.describe(path)
        name = self.upper.get((*path, "class_path"))
        if kind.is_object and isinstance(name, str):
            self.upper.get(path)["class_path"] = self.merging.kinds.named(name, kind)

    def _object(
        self, path: KeyPath, kind: Kind, new: Mapping[str, Any], old: Mapping[str, Any]
    ) -> dict[str, Any]:
        name, before = (self._class(each, kind) for each in (new, old))
        arguments = self.merging.kinds.arguments(name or before)
        given, had = (each.get("init_args") or {} for each in (new, old))
        made = self.fields((*path, "init_args"), given, had, arguments)
        if old and name and before and name != before:
            going = dict.fromkeys(self._going_on(path, name, before, given, had))
            made = {key: value for key, value in made.items() if key in given or key in going}
        found = {**old, **new}
        if made or "init_args" in found:
            found["init_args"] = made
        if "dict_kwargs" in new and "dict_kwargs" in old:
            found["dict_kwargs"] = {**old["dict_kwargs"], **new["dict_kwargs"]}
        return found

    def _class(self, described: Mapping[str, Any], kind: Kind) -> str:
        named = described.get("class_path") or (described and kind.class_path)
        return self.merging.kinds.whole(str(named), kind) if named else ""

    def _going_on(
        self, path: KeyPath, new: str, old: str, given: Mapping[str, Any], had: Mapping[str, Any]
    ) -> Iterator[str]:
        """Arguments of a class that another one takes, too."""
        for name in had.keys() - given.keys():
            keeps = self.merging.kinds.keeps(name, had[name], new, old)
            if keeps is None:
                self.merging.doubts.append(Doubt(self._place(path), name, old, new))
            if keeps:
                yield name


def is_described(value: Any) -> bool:
    """Whether a value describes an object, of a class that may be known from elsewhere."""
    return isinstance(value, Mapping) and bool(value) and value.keys() <= {*OBJECT_KEYS, ZERO}


def _of_item(value: Any) -> Kind:
    return OBJECT if is_described(value) and "class_path" in value else Kind()


def _has(data: Any, path: KeyPath) -> bool:
    """Whether there is something at a path, and be it None."""
    for key in path:
        places = range(len(data)) if isinstance(data, list) else ()
        if key not in (data if isinstance(data, Mapping) else places):
            return False
        data = inside(data, key)
    return True
