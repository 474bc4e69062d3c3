"""The spec as a module of the project: it imports the classes that it names, and makes objects of some.

They are a Trainer's callbacks and loggers, and the optimizer. Each line of the code stands for one of the YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import messages
from ..constructed import Signature, signature_of
from ..diagnostics import Span
from ..lightning_api import CALLBACKS, IDLE_CALLBACKS, LOGGERS, PACKAGES
from ..names import free_name
from ..source import Line
from ..spec import LoadedSpec
from ..spec_sections import ObjectSettings
from ..spec_values import class_paths, expression
from .class_paths import OF_TORCH, TRAINER, Paths
from .files import Place
from .module import Module
from .scopes import Position

PLATEAU = "ReduceLROnPlateau"
"""LightningCLI's kind of it is told here what it watches."""

OPTIMIZER_CLASS = "SpecOptimizer"
"""What holds `configure_optimizers`, until the model does."""


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
    rows: tuple[int, ...] = ()  # of it, for each line of the code
    named: tuple[Named, ...] = ()

    @property
    def shown_lines(self) -> list[str]:
        return list(self.shown)

    def line(self, number: int, text: str | None = None) -> Line:
        """All of a line of code stands for all of a line of YAML."""
        (span, _), code = self.shown_place((number, 0), (number, 0)), text or self.lines[number - 1]
        return Line(self.path, span.line, code, whole=(span.column - 1, span.end_column - 1))

    def shown_place(self, start: Position, end: Position) -> messages.Place:
        row = self.rows[start[0] - 1]
        line = self.shown[row - 1]
        return Span(self.path, row, len(line) - len(line.lstrip()) + 1, row, len(line) + 1), line


def spec_module(spec: LoadedSpec, paths: Paths) -> SpecModule | None:
    """The spec as code; None: it names no class that has to be looked for."""
    writer = _Writer(spec, paths)
    writer.write()
    named = tuple(_named(spec, paths))
    written = set(writer.names)
    modules = sorted({each.path.rpartition(".")[0] for each in named if each.path not in written})
    imports = [f"import {module}" for module in modules] + writer.import_lines
    if not imports:
        return None
    text = "\n".join([*imports, *(code for _, code in writer.lines)])
    rows = (*[1] * len(imports), *(row for row, _ in writer.lines))
    path = Path(spec.file.path)
    place = Place(path, path.stem, path.parent)
    return SpecModule(place, spec.file.path, text, shown=spec.file.lines, rows=rows, named=named)


def _named(spec: LoadedSpec, paths: Paths) -> Iterator[Named]:
    """Classes for the Trainer's objects; of the others those that may stand in another file."""
    for section in ("model", "data"):
        settings = getattr(spec.spec, section)
        own = [(settings.class_path, f"{section}.class_path")] if settings.class_path else []
        inner = ((path, f"{section}.init_args") for path in class_paths(settings.init_args))
        yield from (Named(path, paths.whole(path), key) for path, key in (*own, *inner) if "." in path)
    for key, settings in (*_objects(spec), *_optimizers(spec)):
        path, is_given = settings.class_path, key.startswith("trainer.")
        yield Named(path, paths.whole(path, key), f"{key}.class_path", is_given)
        for path in class_paths([settings.init_args, settings.dict_kwargs]):
            yield Named(path, paths.whole(path), f"{key}.init_args")


def _objects(spec: LoadedSpec) -> Iterator[tuple[str, ObjectSettings]]:
    """Objects for the Trainer that do something in a script, with their keys."""
    for section in ("callbacks", "logger"):
        for index, settings in enumerate(getattr(spec.spec.trainer, section)):
            if settings.class_path.rpartition(".")[2] not in IDLE_CALLBACKS:
                yield f"trainer.{section}.{index}", settings


def _optimizers(spec: LoadedSpec) -> Iterator[tuple[str, ObjectSettings]]:
    if optimizer := spec.spec.optimizer.described:
        yield "optimizer", optimizer
        if spec.spec.lr_scheduler:
            yield "lr_scheduler", spec.spec.lr_scheduler


@dataclass
class _Writer:
    """Writes the code, and notes what it imports."""

    spec: LoadedSpec
    paths: Paths
    lines: list[tuple[int, str]] = field(default_factory=list)  # each with its row of the YAML
    names: dict[str, str] = field(default_factory=dict)  # of the classes, by their paths

    @property
    def import_lines(self) -> list[str]:
        parts = ((*path.rpartition("."), name) for path, name in self.names.items())
        return [f"from {module} import {attribute} as {name}" for module, _, attribute, name in parts]

    def write(self) -> None:
        if optimizers := dict(_optimizers(self.spec)):
            self._put("optimizer", f"class {OPTIMIZER_CLASS}:")
            self._put("optimizer", "    def configure_optimizers(self):")
            self._configure_optimizers(**optimizers)
        if objects := list(_objects(self.spec)):
            sections = sorted({_section(key) for key, _ in objects}, key=self._row)
            self._put(sections[0], f"{self._class(TRAINER)}(")
            for section in sections:
                self._put(section, f"{section.rpartition('.')[2]}=[")
                self._separated(each for each in objects if _section(each[0]) == section)
                self._close("]," if section != sections[-1] else "]")
            self._close(")")

    # ---- objects -----------------------------------------------------------------------------------------

    def _separated(self, objects: Iterable[tuple[str, ObjectSettings]]) -> None:
        for number, (key, settings) in enumerate(objects):
            self._object(key, settings, ", " if number else "")

    def _object(self, key: str, settings: ObjectSettings, before: str, first: str = "") -> None:
        """A call, its arguments beside the lines that have them, but for the `first`."""
        path = self.paths.whole(settings.class_path, key)
        self._put(f"{key}.class_path", f"{before}{self._class(path)}({first}")
        separator = ", " if first else ""
        for place, code in self._arguments(key, settings, _signature(path)):
            self._put(place, f"{separator}{code}")
            separator = ", "
        self._close(")")

    def _arguments(self, key: str, settings: ObjectSettings, takes: Signature) -> Iterator[tuple[str, str]]:
        """Their keys and code; what is the default anyway is left out."""
        for section in ("init_args", "dict_kwargs"):
            for name, value in getattr(settings, section).items():
                code = self._value(value, takes[name].annotation)
                if code != takes[name].default:
                    yield f"{key}.{section}.{name}", f"{name}={code}"

    def _value(self, value: Any, annotation: str) -> str:
        """The value as code, turned into what the parameter takes, as LightningCLI does it."""
        if annotation.startswith("float") and type(value) is int:
            return f"{value}.0"
        if annotation.startswith("timedelta") and (length := _LENGTH.match(str(value))):
            return f"{self._class('datetime.timedelta')}({_units(length.groupdict())})"
        return expression(value, lambda path: self._class(self.paths.whole(path)))

    # ---- the optimizer -----------------------------------------------------------------------------------

    def _configure_optimizers(
        self, optimizer: ObjectSettings, lr_scheduler: ObjectSettings | None = None
    ) -> None:
        """The body of the method; LightningCLI's returns the same."""
        if lr_scheduler is None:
            self._object("optimizer", optimizer, "        return ", "self.parameters()")
            return
        self._object("optimizer", optimizer, "        optimizer = ", "self.parameters()")
        monitor = lr_scheduler.init_args.get("monitor")
        if lr_scheduler.class_path.rpartition(".")[2] == PLATEAU and monitor is not None:
            rest = {name: value for name, value in lr_scheduler.init_args.items() if name != "monitor"}
            plain = ObjectSettings(class_path=f"{OF_TORCH['lr_scheduler']}.{PLATEAU}", init_args=rest)
            self._object("lr_scheduler", plain, "        scheduler = ", "optimizer")
            described = f'{{"scheduler": scheduler, "monitor": {monitor!r}}}'
            self._put(
                "lr_scheduler", f'        return {{"optimizer": optimizer, "lr_scheduler": {described}}}'
            )
        else:
            self._object("lr_scheduler", lr_scheduler, "        return [optimizer], [", "optimizer")
            self._close("]")

    # ---- lines -------------------------------------------------------------------------------------------

    def _row(self, key: str) -> int:
        return self.spec.key_place(key)[0].line

    def _put(self, key: str, code: str) -> None:
        self.lines.append((self._row(key), code))

    def _close(self, code: str) -> None:
        """Go on in the same line."""
        row, before = self.lines.pop()
        self.lines.append((row, before + code))

    def _class(self, path: str) -> str:
        """The name of the class at a path."""
        if path not in self.names:
            self.names[path] = free_name(path.rpartition(".")[2], self.names.values())
        return self.names[path]


def _section(key: str) -> str:
    """`trainer.callbacks`, of one of its items."""
    return key.rpartition(".")[0]


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
