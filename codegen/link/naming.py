"""One name for each definition and import, where modules that each had their own names become one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from .. import messages
from ..diagnostics import Diagnostic
from ..source.definitions import Import
from ..source.names import free_name
from .modules.graph import Definition, External
from .modules.module import Chunk, Module
from .reach.reach import Reach
from .running.order import Resolved

ASKED = re.compile(r"\.__(qual)?name__")


class Names:
    """The names that definitions and imports have in the script; the entry's keep theirs."""

    def __init__(self, reach: Reach) -> None:
        self.of_definition: dict[Definition, str] = {}
        self.of_import: dict[Import, str] = {}
        self.shadowed: dict[Definition | Import, set[str]] = {}
        self.taken: set[str] = (
            reach.resolution.lacking | reach.resolution.of_python
        )  # which nothing binds in the script
        places = sorted(reach.chunks, key=lambda place: place[0] is not reach.graph.entry)
        self.written = {word for module, _ in places for word in re.findall(r"\w+", module.text)}
        for _, chunk in places:
            self._note_shadows(reach.resolved.get(chunk, ()))
        entry = [place for place in places if place[0] is reach.graph.entry]
        self._name_as_in_entry(reach, [chunk for _, chunk in entry])
        for module, chunk in entry + reach.in_order:
            if (module, chunk) not in reach.chunks:
                continue
            for name in sorted(module.names_bound(chunk)):
                self._name_definition(Definition(module, name))
            for resolved in reach.resolved[chunk]:
                if isinstance(resolved.target, External) and not resolved.use.local_import:
                    self._name_import(module, resolved.target.bound)

    def _name_as_in_entry(self, reach: Reach, chunks: list[Chunk]) -> None:
        """The entry's own definitions first, then what it imports by name."""
        bound = (reach.graph.entry.names_bound(chunk) for chunk in chunks)
        for name in sorted(name for names in bound for name in names):
            self._name_definition(Definition(reach.graph.entry, name))
        for resolved in (each for chunk in chunks for each in reach.resolved[chunk]):
            if isinstance(resolved.target, Definition) and resolved.target.name == resolved.use.name:
                self._name_definition(resolved.target)

    def _note_shadows(self, resolved: Iterable[Resolved]) -> None:
        for each in resolved:
            target = each.target.bound if isinstance(each.target, External) else each.target
            self.shadowed.setdefault(target, set()).update(each.use.shadows)

    def _name_definition(self, definition: Definition) -> None:
        if definition not in self.of_definition:
            forbidden = self.taken | self.shadowed.get(definition, set())
            name = self._unlike(forbidden, definition.name, definition.module)
            self.of_definition[definition] = name
            self.taken.add(name)

    def _name_import(self, module: Module, bound: Import) -> None:
        if bound.is_star or bound in self.of_import:
            return
        if _binds_its_package(bound):
            self.of_import[bound] = bound.name
            self.taken.add(bound.name)
            return
        others = {name for each, name in self.of_import.items() if not _are_same(each, bound)}
        forbidden = others | (self.taken - set(self.of_import.values())) | self.shadowed.get(bound, set())
        self.of_import[bound] = self._unlike(forbidden, bound.name, module)
        self.taken.add(self.of_import[bound])

    def as_first_written(self, bound: Import) -> Import:
        """The first of the statements that import the same."""
        same = (each for each in self.of_import if _are_same(each, bound) and not _binds_its_package(each))
        return bound if _binds_its_package(bound) else next(same, bound)

    def _unlike(self, forbidden: set[str], name: str, module: Module) -> str:
        """`name`, or with its module's name before it: VitNet, vit_net, VIT_NET; with underscores in the entry."""
        if name not in forbidden:
            return name
        if module.is_entry:
            return free_name(name, forbidden | self.written)
        parts = [part for part in module.place.name.split(".") if part != "__init__"]
        for count in range(1, len(parts) + 1):
            prefixed = _prefixed(parts[-count:], name)
            if prefixed not in forbidden | self.written:
                return prefixed
        return free_name(_prefixed(parts, name), forbidden | self.written)


def renamed_definitions(reach: Reach, names: Names) -> Iterator[Diagnostic]:
    """What has another name in the script, where code asks classes and functions for their names."""
    asking = {module for module, _ in reach.chunks if ASKED.search(module.text)}
    if any(_asks_names(chunk) for module, chunk in reach.chunks if module in asking):
        for definition, name in names.of_definition.items():
            chunks = definition.module.binders[definition.name] if name != definition.name else ()
            for chunk in (
                each for each in chunks if isinstance(each.nodes[0], ast.ClassDef | ast.FunctionDef)
            ):
                yield messages.definition_renamed(definition.module.place_of(chunk), definition.name, name)


def _asks_names(chunk: Chunk) -> bool:
    """Whether a statement asks something for the name that it was defined by."""
    nodes = (part for node in chunk.nodes for part in ast.walk(node) if isinstance(part, ast.Attribute))
    return any(ASKED.fullmatch(f".{node.attr}") for node in nodes)


def _binds_its_package(bound: Import) -> bool:
    """Whether it is `import a.b`, which binds a."""
    return bound.attribute is None and "." in bound.module and bound.name == bound.module.partition(".")[0]


def _are_same(one: Import, other: Import) -> bool:
    """Whether both import one thing: `import torch.nn as nn`, and `from torch import nn`."""
    return one.target == other.target and one.level == other.level


def _prefixed(parts: list[str], name: str) -> str:
    """The name behind those of modules, of which a configuration's may be no identifiers."""
    words = [word for part in parts for word in re.split(r"\W|_", part)]
    if name.isupper():
        found = "_".join([*words, name]).upper()
    elif name[:1].isupper():
        found = "".join(word[:1].upper() + word[1:] for word in words) + name
    else:
        found = "_".join([*words, name.lstrip("_")])
    return f"_{found}" if found[:1].isdigit() else found
