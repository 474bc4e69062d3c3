"""In what order Python runs the statements of a project's modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...source.names import Importing, is_for_types
from ..configuration.code import IMPORT_MODULE, INSTANTIATE
from ..modules.graph import Definition, External, Graph
from ..modules.module import Chunk, Module
from ..modules.scopes import Use

Place = tuple[Module, Chunk]
DEFINING = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Resolved:
    """A use, what it stands for, and how many of its attributes that takes."""

    use: Use
    target: Definition | External
    taken: int
    looked_up: str = ""  # by this name, in a table that stands for a module


def in_order(
    graph: Graph, reached: Mapping[Place, None], resolved: Mapping[Chunk, list[Resolved]]
) -> list[Place]:
    """The statements reached and plain imports, as Python runs them."""
    imports = _Imports(graph, reached)
    for first in graph.first_modules:
        imports.run(first)
    imports.run_later()
    needs = _Needs(imports.order, resolved, graph.configuration)
    for place in imports.order:
        needs.run(place)
    return list(needs.done)


@dataclass
class _Imports:
    """Runs modules when they are imported.

    Those that a function imports, or the type checker, may be run at any time later: it is taken to be when the entry
    goes on. Those that a LightningCLI's file names are run when that is called.
    """

    graph: Graph
    reached: Mapping[Place, None]
    order: list[Place] = field(default_factory=list)
    started: set[Module] = field(default_factory=set)
    later: list[tuple[Module, Importing]] = field(default_factory=list)

    def run(self, module: Module) -> None:
        if module in self.started or not self.graph.is_embedded(module):
            return
        self.started.add(module)
        is_entry = module is self.graph.entry
        own: list[tuple[Module, Importing]] = []
        for chunk in module.chunks:
            for node, is_late in self._imports_of(module, chunk):
                if is_late:
                    (own if is_entry else self.later).append((module, node))
                else:
                    self._run_all(module, node)
                    if is_entry:
                        self.run_later()
            if is_entry and (spec := self.graph.spec) and _calls(chunk, spec.read_by):
                self.run(spec)
            if chunk.is_import or (module, chunk) in self.reached:
                self.order.append((module, chunk))
        if module in self.graph.values:
            self.run(self.graph.values[module].module)
        self.later += own
        if is_entry:
            self.run_later()

    def run_later(self) -> None:
        """Run what functions of the modules run so far import."""
        while self.later:
            self._run_all(*self.later.pop(0))

    def _run_all(self, module: Module, node: Importing) -> None:
        for imported in self.graph.imported_by(module, node):
            self.run(imported)

    def _imports_of(self, module: Module, chunk: Chunk) -> Iterator[tuple[Importing, bool]]:
        """The imports that a statement runs, and (True) those that a function of it runs when it is called."""
        for node in chunk.nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield node, False
            elif is_for_types(node):
                yield from ((found, True) for uses in chunk.uses for found, _ in uses.imports)
            elif (module, chunk) in self.reached or not isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield from (found for uses in chunk.uses for found in uses.imports)


def _calls(chunk: Chunk, name: str) -> bool:
    """Whether a statement that is no definition calls something by its name."""
    nodes = [node for node in chunk.nodes if not isinstance(node, DEFINING)]
    calls = (each for node in nodes for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(ast.unparse(call.func) == name for call in calls)


class _Needs:
    """Puts statements after those that they need when they are run, where a guess has put them before."""

    def __init__(
        self, order: list[Place], resolved: Mapping[Chunk, list[Resolved]], configuration: Module | None
    ) -> None:
        self.resolved, self.configuration = resolved, configuration
        self.by_module: dict[Module, list[Place]] = {}
        for module, chunk in order:
            self.by_module.setdefault(module, []).append((module, chunk))
        self.known = set(order)
        self.started, self.entered = set[Module](), set[Place]()
        self.called = set[tuple[Place, bool, bool]]()
        self.done: dict[Place, None] = {}

    def run(self, place: Place) -> None:
        if place not in self.known or place in self.entered:
            return
        self.entered.add(place)
        self.started.add(place[0])
        for needed in self._needed(*place):
            self._import(needed)
        if not all(isinstance(node, DEFINING) for node in place[1].nodes):
            self._call(place)
        self.done[place] = None

    def _import(self, needed: Place) -> None:
        """Run the statement's whole module, as an import does, unless that is being run already."""
        for each in [needed] if needed[0] in self.started else self.by_module.get(needed[0], ()):
            self.run(each)

    def _call(self, place: Place) -> None:
        """Run what functions import that a statement of the entry's may call, and what any makes by its name.

        What hydra's makes is there for a guard in any case, as that stands last in the script.
        """
        waiting, is_entry, is_guard = [place], place[0].is_entry, place[1].is_guard
        by_name = {IMPORT_MODULE} if is_guard else {IMPORT_MODULE, INSTANTIATE}
        while waiting:
            each = waiting.pop()
            if (each, is_entry, is_guard) in self.called:
                continue
            self.called.add((each, is_entry, is_guard))
            for resolved in self.resolved.get(each[1], ()):
                if isinstance(resolved.target, Definition):
                    targets = _binders(resolved.target)
                    waiting += targets
                    is_imported = is_entry and resolved.use.local_import
                    is_needed = is_imported or self._is_one_of(each, by_name)
                    for target in targets:
                        if is_needed or self._is_one_of(target, by_name):
                            self._import(target)

    def _is_one_of(self, place: Place, names: set[str]) -> bool:
        """Whether it is a function of the configuration's with such a name, for whose classes to be there."""
        return place[0] is self.configuration and not names.isdisjoint(place[1].names)

    def _needed(self, module: Module, chunk: Chunk) -> Iterator[Place]:
        """What a statement refers to while it is run; what functions refer to that it calls is not among it."""
        for each in self.resolved.get(chunk, ()):
            use, target = each.use, each.target
            is_read = not (use.is_late or use.stores or (use.in_annotation and module.postpones_annotations))
            if isinstance(target, Definition) and is_read:
                for other, binder in _binders(target):
                    if other is not module or binder.line < chunk.line:
                        yield other, binder


def _binders(target: Definition) -> list[Place]:
    return [(target.module, binder) for binder in target.module.binders[target.name]]
