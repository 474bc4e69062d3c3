"""What LightningCLI is told on its command line, or by its `args`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....diagnostics import Span
from ....spec.layers import OBJECT_KEYS, Layer
from ....spec.sections.strategy_spec import OptimizerSettings
from ....spec.yaml_file import KeyPath
from ..kinds import OPEN, Kind, Kinds
from ..merging import ADDED, ZERO, Merging, is_described
from ..parser import DESCRIBED, setting_path
from .own_options import OwnOption, Refused, value_of

CONFIG = ("config", "c")
SECTIONS = ("trainer", *DESCRIBED)
"""Groups of settings that may have files of their own."""

OPTIMIZER = "optimizer"


@dataclass(frozen=True)
class Arguments:
    """Puts them over settings, one after the other, as the parser does."""

    place: Span
    read: Callable[[Path], Layer]  # a file
    merging: Merging
    unread: list[str]  # keys that lead nowhere

    def put(self, layer: Layer, given: Sequence[str] | Mapping[str, Any]) -> Layer:
        if isinstance(given, Mapping):
            told = Layer()
            for key, value in given.items():
                told.put((key,), value, self.place)
            return over(told, layer, self.merging)
        waiting = list(given)
        while waiting:
            layer = self._next(layer, waiting)
        return layer

    def _next(self, layer: Layer, waiting: list[str]) -> Layer:
        """With what the first of the arguments says, and what belongs to it."""
        name, equals, text = waiting.pop(0).partition("=")
        if not name.startswith("-"):
            return layer  # the command
        key, parser = name.lstrip("-"), self.merging.kinds.parser
        if option := parser.options.get(name):
            return self._own(layer, key, option, text if equals else None, waiting)
        if key in parser.plain:
            self.unread.append(key)
        if not equals:
            text = "true" if not waiting or waiting[0].startswith("--") else waiting.pop(0)
        return self._told(layer, key, text)

    def _own(self, layer: Layer, key: str, option: OwnOption, text: str | None, waiting: list[str]) -> Layer:
        """An option of the code's own."""
        try:
            layer.put(setting_path(option.key), option.value(text, waiting), self.place)
        except Refused:
            self.unread.append(key)
        return layer

    def _told(self, layer: Layer, key: str, text: str) -> Layer:
        if key in CONFIG:
            return over(self.read(Path(text)), layer, self.merging)
        told = Layer()
        if key in SECTIONS and Path(text).is_file():
            told.graft((key,), self.read(Path(text)).whole())
            return over(told, layer, self.merging)
        if "." not in key:
            told.put((key,), value_of(text), self.place)
            return over(told, layer, self.merging)
        self._put(layer, key, text)
        return layer

    def _put(self, layer: Layer, key: str, text: str) -> None:
        """Set what a dotted key leads to."""
        found = _Way(layer, self.merging.kinds, self.place).to(key.removesuffix(ADDED))
        if found is None:
            self.unread.append(key)
            return
        path, kind, rest = found
        now = layer.get(path)
        value: Any = value_of(text)
        if rest:
            value = {**(now if isinstance(now, Mapping) else {}), rest: value}
        told = Layer.single(value, self.place)
        if key.endswith(ADDED):
            for each in self.merging.value_over(told, None, kind).items():
                layer.append(path, each)
            return
        made = self.merging.value_over(told, now, kind)
        if kind.is_listed and isinstance(value, str):
            made = made.listed()
        layer.exchange(path, made)


@dataclass
class _Way:
    """Where a dotted key leads in settings, of which it leaves out `init_args`, and the places in lists."""

    layer: Layer
    kinds: Kinds
    place: Span

    def to(self, key: str) -> tuple[KeyPath, Kind, str] | None:
        """The setting's path, its kind, and the key in a mapping that is left. None: there is no such setting."""
        section, *rest = key.split(".")
        path, kind = (section,), self.kinds.of_section(section)
        while rest and (kind.is_object or kind.fields):
            path, kind = self._into(path, kind, rest)
        now = self.layer.get(path)
        is_mapping = isinstance(now, Mapping) or kind.is_mapping
        if rest and (not is_mapping or len(rest) > 1):
            return None
        return path, kind, "".join(rest)

    def _into(self, path: KeyPath, kind: Kind, rest: list[str]) -> tuple[KeyPath, Kind]:
        """One key further."""
        if kind.fields:
            name = rest.pop(0)
            return (*path, name), kind.fields(name)
        if isinstance(self.layer.get(path), list):
            path = (*path, len(self.layer.get(path)) - 1)  # the one that was added before
        if not is_described(self.layer.get(path)):
            self._describe(path, kind)
        if rest[0] in OBJECT_KEYS:
            return self._part((*path, rest.pop(0)), path, kind)
        return self._part((*path, "init_args"), path, kind)

    def _describe(self, path: KeyPath, kind: Kind) -> None:
        """Write a class's name out, or the default's."""
        if isinstance(self.layer.get(path), str):
            self.layer.describe(path)
        elif kind.class_path:
            self.layer.put((*path, "class_path"), kind.class_path, self.place)

    def _part(self, path: KeyPath, of: KeyPath, kind: Kind) -> tuple[KeyPath, Kind]:
        named = self.layer.get((*of, "class_path")) or kind.class_path
        path_of_class = self.kinds.whole(str(named), kind) if named else ""
        arguments = self.kinds.arguments(path_of_class)
        return path, {"init_args": Kind(fields=arguments), "class_path": Kind()}.get(path[-1], OPEN)


def over(layer: Layer, lower: Layer, merging: Merging) -> Layer:
    """Both; where both have a value, the first one's."""
    for each in (lower, layer):
        for section in DESCRIBED:
            if each.get((section,)) is not None and section != OPTIMIZER:
                each.describe((section,))
        describe_optimizer(each, OPTIMIZER)
    return merging.over(layer, lower)


def describe_optimizer(layer: Layer, key: str, class_path: str | None = None) -> None:
    """Write out the short form of an optimizer, if there is one; what the build does with it is none of its own."""
    value = layer.get((key,))
    zero = layer.take((key, ZERO)) if isinstance(value, dict) and ZERO in value else None
    left = layer.get((key,))
    is_ours = left is None or (isinstance(left, dict) and left.keys() <= OptimizerSettings.OF_THE_SCRIPT)
    if class_path is not None or not is_ours:
        layer.describe((key,), class_path)
    if zero:
        layer.graft((key, ZERO), zero)
