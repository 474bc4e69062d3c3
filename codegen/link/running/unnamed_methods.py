"""Methods of installed packages' models that nothing in a run names: a script does without.

A package's models can do more than to train, and what only that needs is no part of a training. What is left out is
what surely nobody calls: no code that is reached from the project's asks anything for such a name, and neither
Lightning nor torch does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ...lightning.api import PACKAGES
from ...lightning.module_names import ALWAYS_HAS, INNER, OF_TORCH, STATE
from ...source.execution import SUBCLASSES
from ..modules.graph import Definition, External, Graph, ModuleReference, Target
from ..modules.module import Chunk, Module
from ..modules.scopes import Use, Uses
from .asked_names import Asked, asked_names
from .noted import noting

Method = ast.FunctionDef | ast.AsyncFunctionDef

FOR_USERS = frozenset("freeze load_from_checkpoint to_onnx to_tensorrt to_torchscript unfreeze".split())
"""What Lightning's models have and Lightning itself never calls."""

CALLED = (ALWAYS_HAS["module"] | OF_TORCH | INNER | STATE) - FOR_USERS
"""What may be called of a model that no code names."""

WITH = {"predict": frozenset(each for each in CALLED if "predict" in each)}
WITH["test"] = frozenset(each for each in CALLED if "test" in each)
"""What is called of a model only where such a method of a Trainer's is."""

ALL_RUN = "LightningCLI"
"""What has commands for these."""

HARMLESS = frozenset({"abc.ABC", "torch.nn.Module", "torch.nn.modules.Module", "typing.Generic"})
"""Bases that call nothing of a model but what is `CALLED`."""


@dataclass(frozen=True, eq=False)
class Part:
    """A statement without the methods that may be left out, or one of these."""

    module: Module
    chunk: Chunk
    method: Method | None = None


@dataclass(eq=False)
class UnnamedMethods:
    """What is reached from the project's own code, method by method, and which methods are not."""

    graph: Graph
    parts: dict[tuple[Chunk, Method | None], Module] = field(default_factory=dict)
    run: dict[Module, None] = field(default_factory=dict)
    waiting: list[Part] = field(default_factory=list)
    idle: dict[Method, Part] = field(default_factory=dict)
    asked: Asked = field(default_factory=Asked)
    asked_by_own: Asked = field(default_factory=Asked)
    methods: dict[Chunk, tuple[Method, ...]] = field(default_factory=dict)

    def found(self) -> list[Part]:
        """The methods that are not reached, of classes that are."""
        if not self.far:
            return []
        self._start()
        while self.waiting:
            self._follow(self.waiting.pop())
            if not self.waiting:
                self._wake()
        return list(self.idle.values())

    @cached_property
    def modules(self) -> list[Module]:
        """All that are imported, somewhere."""
        first = self.graph.first_modules
        return list(dict.fromkeys(each for module in first for each in self.graph.closure(module)))

    @cached_property
    def far(self) -> list[Module]:
        """Those of installed packages."""
        return [each for each in self.modules if each.place.is_far]

    def _start(self) -> None:
        for module in (each for each in self.modules if not each.place.is_far):
            for chunk in module.chunks:
                self._reach(module, chunk)
        for named in self.graph.spec_classes:
            self._reach_target(self.graph.class_at(named.path))
        self._run(self.graph.surely_run())

    def _run(self, modules: Iterable[Module]) -> None:
        """What does something when modules of packages are run."""
        for module in (each for each in modules if each.place.is_far and each not in self.run):
            self.run[module] = None
            chunks = (each for each in module.chunks if not (each.is_import or each.is_guard or each.is_text))
            for chunk in chunks:
                if any(self._does_something(module, node) for node in chunk.nodes):
                    self._reach(module, chunk)

    def _does_something(self, module: Module, node: ast.stmt) -> bool:
        if isinstance(node, ast.ClassDef):
            return bool(node.decorator_list) or any(True for _ in noting(self.graph, module, node))
        return not isinstance(node, Method) or bool(node.decorator_list)

    def _reach(self, module: Module, chunk: Chunk) -> None:
        if (chunk, None) in self.parts:
            return
        self.parts[chunk, None] = module
        self.waiting.append(Part(module, chunk))
        self.idle |= {each: Part(module, chunk, each) for each in self._methods(module, chunk)}

    def _wake(self) -> None:
        """Reach the methods that have been asked for by now, and classes that a base is asked for."""
        for method in [each for each in self.idle if self._is_wanted(each)]:
            part = self.idle.pop(method)
            self.parts[part.chunk, method] = part.module
            self.waiting.append(part)
        if SUBCLASSES in self.asked.names:
            for module in self.run:
                for chunk in (each for each in module.chunks if isinstance(each.nodes[0], ast.ClassDef)):
                    self._reach(module, chunk)

    def _is_wanted(self, method: Method) -> bool:
        """Whether it may be called, or only that says what is in its place: such as a property."""
        may_be_named = bool(method.decorator_list) and self.asked.may_name(method.name)
        return may_be_named or self._is_called(method.name)

    def _is_called(self, name: str) -> bool:
        if name in self.asked.names:
            return True
        asked = (each for each, names in WITH.items() if name in names)
        return any(
            not {each, ALL_RUN}.isdisjoint(self.asked.names) or self.asked_by_own.may_name(each)
            for each in asked
        )

    # ---- what is needed ----------------------------------------------------------------------------------------

    def _follow(self, part: Part) -> None:
        apart = self._methods(part.module, part.chunk)
        asked = asked_names([part.method] if part.method else part.chunk.nodes, apart)
        self.asked.add(asked)
        if not part.module.place.is_far:
            self.asked_by_own.add(asked)
        for uses in part.chunk.uses:
            self._follow_uses(part, uses, apart)

    def _follow_uses(self, part: Part, uses: Uses, apart: tuple[Method, ...]) -> None:
        module = part.module
        for use in (each for each in uses.names if _holds(part, apart, _line(each))):
            target = (
                self.graph.imported(module, *use.local_import)
                if use.local_import
                else self.graph.seen(module, part.chunk, use)
            )
            self._reach_target(target, use.attributes)
        for node in (each for each, _ in uses.imports if _holds(part, apart, each.lineno)):
            self._run(self.graph.run_with(self.graph.imported_by(module, node)))
            for alias in (each for each in node.names if each.name != "*"):
                target = self.graph.imported(module, node, alias, may_fail=True)
                if isinstance(target, Definition):
                    self._reach_target(target)

    def _reach_target(self, target: Target | None, attributes: tuple[str, ...] = ()) -> None:
        for attribute in attributes:
            if isinstance(target, ModuleReference):
                target = self.graph.member(target.name, attribute)
        if isinstance(target, Definition):
            for chunk in target.module.binders.get(target.name, ()):
                self._reach(target.module, chunk)
        elif isinstance(target, ModuleReference) and (module := self.graph.module(target.name)):
            for chunk in module.chunks:
                self._reach(module, chunk)

    # ---- models ------------------------------------------------------------------------------------------------

    def _methods(self, module: Module, chunk: Chunk) -> tuple[Method, ...]:
        """The methods of a package's model that may be left out."""
        if chunk not in self.methods:
            self.methods[chunk] = tuple(self._methods_of_model(module, chunk)) if module.place.is_far else ()
        return self.methods[chunk]

    def _methods_of_model(self, module: Module, chunk: Chunk) -> Iterator[Method]:
        node = chunk.nodes[0]
        if isinstance(node, ast.ClassDef) and self._is_model(module, node):
            methods = (each for each in node.body if isinstance(each, Method))
            yield from (each for each in methods if not _is_called_always(each.name))

    def _is_model(self, module: Module, node: ast.ClassDef) -> bool:
        """Whether a class is Lightning's, of which no other base calls anything."""
        bases = [*self._bases(module, node)]
        return "LightningModule" in bases and not {*bases} - HARMLESS - {"LightningModule"}

    def _bases(
        self, module: Module, node: ast.ClassDef, below: tuple[ast.ClassDef, ...] = ()
    ) -> Iterator[str]:
        """What a class is derived from that is none of the code that is read, by its dotted name."""
        for base in node.bases:
            name, *attributes = ast.unparse(base).partition("[")[0].split(".")
            target = self.graph.resolve(module, name)
            for attribute in attributes:
                if isinstance(target, ModuleReference):
                    target = self.graph.member(target.name, attribute)
            if isinstance(target, Definition):
                yield from self._bases_of(target, (*below, node))
            elif isinstance(target, External):
                yield _dotted(target, attributes)
            elif target is not None or name != "object":
                yield name

    def _bases_of(self, target: Definition, below: tuple[ast.ClassDef, ...]) -> Iterator[str]:
        nodes = [each for chunk in target.module.binders.get(target.name, ()) for each in chunk.nodes]
        for each in nodes:
            if isinstance(each, ast.ClassDef):
                yield from self._bases(target.module, each, below) if each not in below else ()
            else:
                yield target.name


def _dotted(target: External, attributes: list[str]) -> str:
    """The name of a class of a library's; Lightning goes by several."""
    dotted = ".".join([target.bound.target, *attributes])
    return dotted.rpartition(".")[2] if dotted.partition(".")[0] in PACKAGES else dotted


def _is_called_always(name: str) -> bool:
    is_pythons = name.startswith("__") and name.endswith("__")
    return is_pythons or name in CALLED - WITH["predict"] - WITH["test"]


def _line(use: Use) -> int:
    return use.within.lineno if use.within else use.spans[0][0][0]


def _holds(part: Part, apart: tuple[Method, ...], line: int) -> bool:
    """Whether a line of a statement's is one of this part of it."""
    if part.method:
        return line in lines_of(part.method)
    return not any(line in lines_of(each) for each in apart)


def lines_of(node: Method) -> range:
    """A method's lines, decorators included."""
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return range(first, (node.end_lineno or node.lineno) + 1)


def idle_modules(graph: Graph) -> frozenset[Path]:
    """The files of packages' modules of which nothing that does something is reached."""
    search = UnnamedMethods(graph)
    search.found()
    reached = {module for (chunk, _), module in search.parts.items() if not _only_names(chunk)}
    return frozenset(each.place.path for each in search.far if each not in reached)


def _only_names(chunk: Chunk) -> bool:
    """Whether a statement but gives names to values."""
    nodes = [inner for each in chunk.nodes for inner in ast.walk(each)]
    return isinstance(chunk.nodes[0], ast.Assign | ast.AnnAssign) and not any(
        isinstance(each, ast.Call) for each in nodes
    )
