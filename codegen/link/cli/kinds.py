"""What settings take, as far as that decides how their values are read, and go over others."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...spec.init_args.annotations import (
    CALLED,
    LISTS,
    MAPPINGS,
    NUMBERS,
    SETS,
    TEXT,
    TUPLES,
    alternatives,
    kinds_of,
    known_name,
    types_in,
    whole_name,
)
from ...spec.init_args.kept_defaults import parameters_of
from ...spec.init_args.signature import Parameter, Signature
from ..spec.class_paths import ClassPaths
from .parser import OBJECTS, Parser

MADE = {"Optimizer": "optimizer", "OptimizerCallable": "optimizer"}
MADE |= dict.fromkeys(("LRScheduler", "_LRScheduler", "LRSchedulerCallable"), "lr_scheduler")
MADE |= {"Module": "module"}
"""In which of torch's modules the classes are that may be named alone, by what is to be made."""


OF_OTHERS = ("ckpt_path", "verbose", "return_predictions", "weights_only")
"""What commands take beside what there is to set: `fit` the first alone. A file that one names is not read."""


@dataclass(frozen=True)
class Kind:
    """What a setting takes."""

    is_object: bool = False  # one that a class is named for, or several in a list
    is_listed: bool = False  # where an argument names a class alone
    is_text: bool = False  # which then names no class
    is_mapping: bool = False
    class_path: str = ""  # of the object, where none is named
    section: str = ""  # in which of torch's modules classes are named alone
    fields: Callable[[str], Kind] | None = None  # of what it is made from, by name


OBJECT = Kind(is_object=True)
OPEN: Kind = Kind(fields=lambda _: OPEN)
"""A section of the code's own, of which nothing else is known."""

OF_TRAINER: Mapping[str, Kind] = {
    "callbacks": Kind(is_object=True, is_listed=True),
    "logger": OBJECT,
    **dict.fromkeys(("plugins", "profiler", "strategy"), Kind(is_object=True, is_text=True)),
}


@dataclass
class Kinds:
    """Those of a LightningCLI's settings."""

    paths: ClassPaths
    classes: Mapping[str, str]  # of the model and the data, as the code names them
    parser: Parser

    def of_section(self, name: str) -> Kind:
        if name == "trainer":
            return Kind(fields=lambda key: OF_TRAINER.get(key, Kind()))
        if name in OBJECTS:
            return Kind(is_object=True, class_path=self.classes.get(name, ""))
        if name in self.parser.optimizers or name in self.parser.schedulers:
            return self._of_torch(name)
        if name in ("optimizer", "lr_scheduler"):
            return Kind(is_object=True, section=name)
        if name in self.parser.callbacks:
            return self._group(self.parser.callbacks[name].class_path)
        if name in self.parser.groups:
            return self._group(self.parser.groups[name])
        return Kind() if name in self.parser.plain or name in OF_OTHERS else OPEN

    def _of_torch(self, name: str) -> Kind:
        """An optimizer's or a scheduler's, of which the parser was told."""
        is_optimizer = name in self.parser.optimizers
        path = (self.parser.optimizers if is_optimizer else self.parser.schedulers)[name].class_path
        section = "optimizer" if is_optimizer else "lr_scheduler"
        if name == section or path is None:
            return Kind(is_object=True, section=section, class_path=path or "")
        return self._group(path)

    def _group(self, path: str | None) -> Kind:
        """A section that has a class's arguments, or describes an object."""
        return Kind(fields=self.arguments(path)) if path else OBJECT

    def arguments(self, path: str) -> Callable[[str], Kind]:
        """What the class at a path takes."""
        takes = self.paths.signature(path)
        return lambda name: self._of(takes[name]) if takes and name in takes.parameters else Kind()

    def whole(self, name: str, kind: Kind) -> str:
        return self.paths.whole(name, kind.section)

    def named(self, name: str, kind: Kind) -> str:
        """The path of the class that is named, written out where its name alone leads to one."""
        path = self.whole(name, kind)
        if "." in name or not self.paths.is_class(path):
            return name
        found = self.paths.found(path)
        return f"{found.module.place.name}.{found.node.name}" if found else path

    def names_class(self, text: str, kind: Kind, has_object: bool) -> bool:
        """Whether a text is the name of a class, and no function's, and no member of an enumeration."""
        path = self.whole(text, kind)
        if not kind.is_object or not text.rpartition(".")[2][:1].isupper():
            return False
        if has_object or kind.section:
            return self.paths.is_class(path)
        return "." not in text and self.paths.found(path) is not None

    def keeps(self, name: str, value: Any, new: str, old: str) -> bool | None:
        """Whether an argument of one class is another's, which takes its place; None: that is not known."""
        takes, known = self.paths.signature(new), parameters_of(new, self.paths.signature)
        if name not in (known or (takes.parameters if takes else ())):
            return None if known is None else False
        annotation = _annotation(takes, name)
        is_same = annotation == _annotation(self.paths.signature(old), name)
        return is_same or not annotation or _fits(value, {known_name(each) for each in kinds_of(annotation)})

    def _of(self, parameter: Parameter) -> Kind:
        kinds = kinds_of(parameter.annotation)
        names = {known_name(each) for each in kinds}
        classes = [each for each in _with_items(kinds) if self._is_class(each)]
        records = [each for each in classes if self._is_record(whole_name(each))]
        if records and len(kinds) == 1:
            return Kind(fields=self.arguments(whole_name(records[0])))
        return Kind(
            is_object=bool(names & CALLED) or len(classes) > len(records),
            is_text=bool(names & TEXT),
            is_mapping=bool(names & MAPPINGS),
            class_path=parameter.described.path if parameter.described else "",
            section=next(filter(None, map(_section_of, _with_items(kinds))), ""),
        )

    def _is_class(self, kind: ast.expr) -> bool:
        return not known_name(kind) and self.paths.is_class(whole_name(kind))

    def _is_record(self, path: str) -> bool:
        takes = self.paths.signature(path)
        return takes is not None and takes.is_dataclass


def _with_items(kinds: list[ast.expr]) -> Iterator[ast.expr]:
    """Types, and those of what they hold."""
    for kind in kinds:
        yield kind
        if known_name(kind) in LISTS | TUPLES | SETS:
            yield from (each for part in types_in(kind) for each in alternatives(part))


def _section_of(kind: ast.expr) -> str:
    made = types_in(kind)[-1:] if known_name(kind) == "Callable" else [kind]
    return next((MADE.get(whole_name(each).rpartition(".")[2], "") for each in made), "")


def _fits(value: Any, names: set[str]) -> bool | None:
    """Whether a value is of one of the types; None: that is not known."""
    if type(value) not in FITTING:
        return None
    if names & FITTING[type(value)]:
        return True
    return None if isinstance(value, str) or names - NUMBERS - TEXT else False


FITTING: Mapping[type, frozenset[str]] = {
    str: TEXT | {"Path"},
    bool: frozenset({"bool"}),
    int: frozenset({"int", "float"}),
    float: frozenset({"float"}),
}
"""Of which types values are that files have."""


def _annotation(takes: Signature | None, name: str) -> str:
    return takes[name].annotation if takes else ""
