"""Modules that would stay, and have to become part of the script: their classes share `self` with a model's."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...lightning.api import PACKAGES
from ..modules.graph import Definition, External, Graph
from ..modules.module import Module
from ..modules.scopes import Use, uses_of
from ..running.noted import classes_of, definitions_called, lineage, metaclasses_written
from .handed import RUNNING, Handed
from .reach import Reach, called


@dataclass(frozen=True)
class Sharing:
    """Finds them, from what is reached."""

    reach: Reach

    @property
    def graph(self) -> Graph:
        return self.reach.graph

    def modules_with_bases(self) -> set[Module]:
        """Modules that are not embedded, and yet hold a base of a class of Lightning's kind, whose `self` it shares.

        Or what makes such a class.
        """
        found = set[Module]()
        for module, chunk in self.reach.chunks:
            for node in chunk.nodes:
                if isinstance(node, ast.ClassDef) and self._is_lightning(module, node):
                    found |= set(self._kept_bases(module, node))
        return found

    def modules_with_decorators(self) -> set[Module]:
        """Modules that are not embedded, and yet have what decorates what the script is about, or makes it.

        A class of Lightning's kind, to note it, or a function that trains, to hand it what it is called with.
        """
        classes = [*self._lightning_classes()]
        decorators = [(module, each) for module, node in classes for each in node.decorator_list]
        decorators += self._of_functions_that_train()
        heads = [(module, called(each)) for module, each in decorators]
        heads += (found for each in classes for found in self._making(*each))
        return set(
            self._kept_in((module, use) for module, each in heads for use in uses_of(ast.Expr(each)).names)
        )

    def modules_asking(self) -> set[Module]:
        """Modules that are not embedded, and yet ask a trainer or a model, which they are handed."""
        return Handed(self.graph, self._is_lightning).modules(self.reach.chunks)

    def modules_with(self, names: Iterable[str]) -> set[Module]:
        """Modules that are not embedded, and define what dotted names of the project's lead to, or import it."""
        found = {module for name in names for module in self._leading(name)}
        return {each for each in found if not self.graph.is_embedded(each)}

    def _leading(self, dotted: str, seen: frozenset[str] = frozenset()) -> Iterator[Module]:
        """The module that a dotted name begins with, and those that it is imported from there."""
        source, _, name = dotted.rpartition(".")
        if dotted in seen or not source:
            return
        if found := self.graph.module(source):
            yield found
        target = self.graph.resolve(found, name) if found else None
        is_imported = isinstance(target, External) and target.bound.is_local
        if isinstance(target, External) and is_imported:
            yield from self._leading(target.bound.target, seen | {dotted})
        elif not found:
            yield from self._leading(source, seen | {dotted})

    def _lightning_classes(self) -> Iterator[tuple[Module, ast.ClassDef]]:
        """The classes of Lightning's kind in modules that are run, with decorators or a metaclass."""
        modules = (each for each in self.graph.surely_run() if self.graph.is_embedded(each))
        nodes = ((module, node) for module in modules for chunk in module.chunks for node in chunk.nodes)
        classes = ((module, node) for module, node in nodes if isinstance(node, ast.ClassDef))
        noted = (each for each in classes if each[1].decorator_list or metaclasses_written(each[1]))
        yield from (each for each in noted if self._is_lightning(*each))

    def _making(self, module: Module, node: ast.ClassDef) -> Iterator[tuple[Module, ast.expr]]:
        """What makes a class, with its bases, by where it is named."""
        for written in metaclasses_written(node):
            yield module, written
            for metaclass in definitions_called(self.graph, module, [written]):
                parts = [*lineage(self.graph, metaclass)]
                yield from (
                    (each.module, base) for each in parts for cls in classes_of(each) for base in cls.bases
                )

    def _of_functions_that_train(self) -> Iterator[tuple[Module, ast.expr]]:
        """Those of functions that are reached, take something, and call what a Trainer has."""
        nodes = ((module, node) for module, chunk in self.reach.chunks for node in chunk.nodes)
        functions = ((module, node) for module, node in nodes if isinstance(node, ast.FunctionDef))
        yield from (
            (module, each) for module, node in functions if _trains(node) for each in node.decorator_list
        )

    def _kept_in(self, uses: Iterable[tuple[Module, Use]]) -> Iterator[Module]:
        """The modules that are not embedded, and define what is used."""
        for module, use in uses:
            for each in self.reach.resolution.through_modules(
                module, use, self.graph.resolve(module, use.name)
            ):
                target = each.target
                if isinstance(target, External) and target.bound.is_local:
                    dotted = (target.bound.target, *use.attributes)
                    yield from self._defining(".".join(dotted))

    def _defining(self, dotted: str, seen: frozenset[str] = frozenset()) -> Iterator[Module]:
        """The module that defines what a dotted name of the project's leads to, through others that import it."""
        source, _, name = dotted.rpartition(".")
        found = self.graph.module(source)
        target = self.graph.resolve(found, name) if found else None
        is_imported = isinstance(target, External) and target.bound.is_local
        further = target.bound.target if isinstance(target, External) and is_imported else source
        if isinstance(target, Definition):
            yield target.module
        elif further and further not in seen and (is_imported or not found):
            yield from self._defining(further, seen | {dotted})

    def _is_lightning(self, module: Module, node: ast.ClassDef, below: tuple[ast.ClassDef, ...] = ()) -> bool:
        """Whether a class comes from Lightning; classes in a circle, which Python refuses, do not."""
        below = (*below, node)
        return any(
            (
                target.bound.module.partition(".")[0] in PACKAGES
                if isinstance(target, External)
                else any(
                    self._is_lightning(target.module, each, below)
                    for each in classes_of(target)
                    if each not in below
                )
            )
            for target in self._bases(module, node)
        )

    def _bases(self, module: Module, node: ast.ClassDef) -> Iterator[Definition | External]:
        chunk = next(each for each in module.chunks if node in each.nodes)
        for use in (use for base in node.bases for use in uses_of(ast.Expr(base)).names):
            target = self.graph.seen(module, chunk, use)
            yield from (
                resolved.target for resolved in self.reach.resolution.through_modules(module, use, target)
            )

    def _kept_bases(self, module: Module, node: ast.ClassDef) -> Iterator[Module]:
        bases = (*node.bases, *metaclasses_written(node))
        uses = (use for base in bases for use in uses_of(ast.Expr(base)).names)
        yield from self._kept_in((module, use) for use in uses)


def _trains(node: ast.FunctionDef) -> bool:
    """Whether a function takes something, and calls a method with the name of one that runs a model."""
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    names = {each.attr for each in called if isinstance(each, ast.Attribute)}
    return bool(ast.unparse(node.args)) and not names.isdisjoint(RUNNING)
