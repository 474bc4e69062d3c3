"""What LightningCLI is told on its command line, or by its `args`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...diagnostics import CompileError, Span
from ...spec.layers import Layer
from ...spec.yaml_file import read_yaml
from .parser import DESCRIBED, setting_path

CONFIG = ("config", "c")
SECTIONS = ("trainer", *DESCRIBED)
OPTIMIZER, ZERO = "optimizer", "zero"
"""Groups of settings that may have files of their own."""


@dataclass(frozen=True)
class Arguments:
    """Puts them over settings, one after the other, as the parser does."""

    place: Span
    read: Callable[[Path], Layer]  # a file

    def put(self, layer: Layer, given: Sequence[str] | Mapping[str, Any]) -> Layer:
        if isinstance(given, Mapping):
            told = Layer()
            for key, value in given.items():
                told.put((key,), value, self.place)
            return over(told, layer)
        for key, text in _pairs(given):
            layer = self._told(layer, key, text)
        return layer

    def _told(self, layer: Layer, key: str, text: str) -> Layer:
        if key in CONFIG:
            return over(self.read(Path(text)), layer)
        told = Layer()
        if key in SECTIONS and Path(text).is_file():
            told.graft((key,), self.read(Path(text)).whole())
            return over(told, layer)
        path, value = setting_path(key.removesuffix("+")), _value(text)
        if key.endswith("+"):
            layer.append(path, Layer.single({"class_path": value}, self.place))
        elif _is_list(layer, path[:2]):
            last = layer.get(path[:2])[-1]  # the one that was added before
            last.setdefault("init_args", {})[path[-1]] = value
        else:
            told.put(path, value, self.place)
            return over(told, layer)
        return layer


def over(layer: Layer, lower: Layer) -> Layer:
    """Both; where both have a value, the first one's."""
    for each in (lower, layer):
        for section in DESCRIBED:
            if each.get((section,)) is not None and section != OPTIMIZER:
                each.describe((section,))
        describe_optimizer(each, OPTIMIZER)
    return layer.over(lower)


def describe_optimizer(layer: Layer, key: str, class_path: str | None = None) -> None:
    """Write out the short form of an optimizer, if there is one; what the build does with it is none of its own."""
    value = layer.get((key,))
    zero = layer.take((key, ZERO)) if isinstance(value, dict) and ZERO in value else None
    left = layer.get((key,))
    if class_path is not None or left not in (None, {}, {"fused": True}, {"fused": False}):
        layer.describe((key,), class_path)
    if zero:
        layer.graft((key, ZERO), zero)


def _is_list(layer: Layer, path: tuple[Any, ...]) -> bool:
    value = layer.get(path)
    return isinstance(value, list) and bool(value)


def _pairs(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Keys and values; a key alone is a flag."""
    waiting = list(arguments)
    while waiting:
        key, equals, text = waiting.pop(0).partition("=")
        if not key.startswith("-"):
            continue  # the command
        if not equals:
            text = "true" if not waiting or waiting[0].startswith("--") else waiting.pop(0)
        yield key.lstrip("-"), text


def _value(text: str) -> Any:
    try:
        return read_yaml("", text.encode()).data
    except CompileError:
        return text
