"""The spec as a module of the project: it imports what it names, and makes what the Trainer is given.

Its code stands beside the lines of the YAML, one line further down, so that each knows where it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from .. import messages
from ..constructed import Signature, signature_of
from ..diagnostics import Span
from ..lightning_api import CALLBACKS, IDLE_CALLBACKS, INSTEAD, LOGGERS, PACKAGES
from ..source import Line
from ..spec import LoadedSpec
from ..spec_sections import ObjectSettings
from ..spec_values import class_paths, expression
from .files import Place
from .module import Module
from .scopes import Position

PACKAGE = "lightning.pytorch"
SHORT = {
    **dict.fromkeys((*CALLBACKS, *IDLE_CALLBACKS, *INSTEAD), f"{PACKAGE}.callbacks"),
    **dict.fromkeys(LOGGERS, f"{PACKAGE}.loggers"),
}
"""Lightning's classes that go by their names alone, and where they are."""


@dataclass(frozen=True)
class Named:
    """A class that the spec names."""

    written: str
    path: str  # with its module
    key: str  # of the setting that names it
    is_given: bool = False  # an object for the Trainer


@dataclass(frozen=True, eq=False)
class SpecModule(Module):
    """The spec, as code."""

    shown: tuple[str, ...] = ()  # the YAML
    named: tuple[Named, ...] = ()

    @property
    def shown_lines(self) -> list[str]:
        return list(self.shown)

    def line(self, number: int, text: str | None = None) -> Line:
        """All of the code in a line stands for all of the YAML beside it."""
        (span, _), code = self.shown_place((number, 0), (number, 0)), text or self.lines[number - 1]
        return Line(self.path, span.line, code, whole=(span.column - 1, span.end_column - 1))

    def shown_place(self, start: Position, end: Position) -> messages.Place:
        row = max(start[0] - 1, 1)
        line = self.shown[row - 1]
        return Span(self.path, row, len(line) - len(line.lstrip()) + 1, row, len(line) + 1), line


def spec_module(spec: LoadedSpec, entry: Place) -> SpecModule | None:
    """The spec as code; None: it names no class that has to be looked for."""
    writer = _Writer(spec, entry, [""] * len(spec.file.lines))
    writer.write()
    named = tuple(_named(spec, entry))
    modules = sorted({each.path.rpartition(".")[0] for each in named} | writer.modules)
    if not modules:
        return None
    text = "\n".join(["; ".join(f"import {module}" for module in modules), *writer.rows])
    path = Path(spec.file.path)
    place = Place(path, path.stem, path.parent)
    return SpecModule(place, spec.file.path, text, shown=spec.file.lines, named=named)


def whole_path(path: str, entry: Place) -> str:
    """A class's path with its module: Lightning's go by short names, and the entry's by the entry's."""
    module, _, name = path.rpartition(".")
    if not module and name in SHORT:
        return f"{SHORT[name]}.{name}"
    return f"{entry.name}.{name}" if module in ("", "__main__") else path


def _named(spec: LoadedSpec, entry: Place) -> Iterator[Named]:
    """Classes for the Trainer's objects; of the others those that may stand in another file."""
    for section in ("model", "data"):
        settings = getattr(spec.spec, section)
        paths = [(settings.class_path, f"{section}.class_path")] if settings.class_path else []
        paths += [(path, f"{section}.init_args") for path in class_paths(settings.init_args)]
        yield from (Named(path, whole_path(path, entry), key) for path, key in paths if "." in path)
    for each in _objects(spec):
        own, inner = each.settings.class_path, [each.settings.init_args, each.settings.dict_kwargs]
        yield Named(own, whole_path(own, entry), f"{each.key}.class_path", is_given=True)
        for path in class_paths(inner):
            yield Named(path, whole_path(path, entry), f"{each.key}.init_args")


@dataclass(frozen=True)
class Described:
    """An object for the Trainer."""

    section: str  # callbacks or logger
    index: int
    settings: ObjectSettings

    @property
    def key(self) -> str:
        return f"trainer.{self.section}.{self.index}"


def _objects(spec: LoadedSpec) -> Iterator[Described]:
    """Those that do something in a script."""
    for section in ("callbacks", "logger"):
        for index, settings in enumerate(getattr(spec.spec.trainer, section)):
            if settings.class_path.rpartition(".")[2] not in IDLE_CALLBACKS:
                yield Described(section, index, settings)


@dataclass
class _Writer:
    """Writes `Trainer(...)` beside the lines that describe its objects."""

    spec: LoadedSpec
    entry: Place
    rows: list[str]
    modules: set[str] = field(default_factory=set)
    row: int = 0
    is_first: bool = True  # in the brackets that are open

    def write(self) -> None:
        objects = sorted(_objects(self.spec), key=lambda each: self._row(f"trainer.{each.section}"))
        if not objects:
            return
        self.modules.add(PACKAGE)
        self._open(f"trainer.{objects[0].section}", f"{PACKAGE}.Trainer(")
        for section, several in groupby(objects, lambda each: each.section):
            self._open(f"trainer.{section}", f"{section}=[")
            for each in several:
                self._object(each)
            self._close("]")
        self._close(")")

    def _object(self, described: Described) -> None:
        settings, path = described.settings, whole_path(described.settings.class_path, self.entry)
        known = _signature(path)
        self._open(f"{described.key}.class_path", f"{path}(")
        for section in ("init_args", "dict_kwargs"):
            for name, value in getattr(settings, section).items():
                code = self._value(value, known[name].annotation)
                if code != known[name].default:
                    self._item(f"{described.key}.{section}.{name}", f"{name}={code}")
        self._close(")")

    def _value(self, value: Any, annotation: str) -> str:
        """The value as code, turned into what the parameter takes, as LightningCLI does it."""
        if annotation.startswith("float") and type(value) is int:
            return f"{value}.0"
        if annotation.startswith("timedelta") and (length := _LENGTH.match(str(value))):
            self.modules.add("datetime")
            return f"datetime.timedelta({_units(length.groupdict())})"
        return expression(value, self._class)

    def _class(self, path: str) -> str:
        path = whole_path(path, self.entry)
        self.modules.add(path.rpartition(".")[0])
        return path

    # ---- rows --------------------------------------------------------------------------------------------

    def _row(self, key: str) -> int:
        return self.spec.key_place(key)[0].line

    def _open(self, key: str, code: str) -> None:
        """Write what ends in an opening bracket."""
        self._item(key, code)
        self.is_first = True

    def _close(self, code: str) -> None:
        self.rows[self.row - 1] += code
        self.is_first = False

    def _item(self, key: str, code: str) -> None:
        """Write beside the key; what an alias refers to may stand above."""
        if not self.is_first:
            self.rows[self.row - 1] += ", "
        self.row = max(self.row, self._row(key))
        self.rows[self.row - 1] += code
        self.is_first = False


def _signature(path: str) -> Signature:
    """What the script's class takes, where the path is of one of Lightning's that it has too."""
    name = path.rpartition(".")[2]
    is_known = path.partition(".")[0] in PACKAGES and name in {*CALLBACKS, *LOGGERS}
    return signature_of(name) if is_known else Signature({})


_LENGTH = re.compile(
    r"(?:(?P<days>-?\d+) days?, )?(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+(?:\.\d+)?)$"
)


def _units(length: Mapping[str, str | None]) -> str:
    given = ((unit, float(count)) for unit, count in length.items() if count)
    return ", ".join(f"{unit}={count:g}" for unit, count in given if count)
