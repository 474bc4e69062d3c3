"""Variables that code sets before it imports a module that reads them at once: a script imports that first."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ... import messages
from ...diagnostics import Diagnostic
from ..modules.graph import Definition, External, Graph, ModuleReference, Target
from ..modules.module import Chunk, Module
from ..modules.scopes import Use
from .order import Place, Resolved, in_order

ENVIRONMENT = "os.environ"
SETTING = ("os.environ.setdefault", "os.environ.__setitem__", "os.putenv")
READING = ("os.environ.get", "os.getenv")


@dataclass(frozen=True, eq=False)
class SetBeforeImport:
    """Looks at what stays imported: of modules that become part of the script the statements keep their order."""

    graph: Graph
    reached: Mapping[Place, None]
    resolved: Mapping[Chunk, list[Resolved]]
    late: Collection[Module]
    """Those that a run imports in functions and branches."""

    def told(self) -> Iterator[Diagnostic]:
        """The uses that have another value in a run than in the script."""
        if not (self._set_late or self._set_first or self._keys_set):
            return
        for module, chunk in self._imported_late:
            for use in _uses(chunk):
                name = self._name(module, chunk, use)
                is_copy = self._is_copied(module, use)
                if (name in self._set_late and (is_copy or not use.is_late)) or (
                    is_copy and name in self._set_first
                ):
                    yield messages.set_before_import(module.place_of_use(use), name)
            yield from self._read_of_environment(module, chunk)
        others = (each for each in self.reached if each[0] not in self.late) if self._set_first else ()
        for module, chunk in others:
            for use in (each for each in _uses(chunk) if self._is_copied(module, each)):
                name = self._name(module, chunk, use)
                if self._set_first.get(name, len(self._order)) < self._import_of(module, use):
                    yield messages.set_before_import(module.place_of_use(use), name)

    def _read_of_environment(self, module: Module, chunk: Chunk) -> Iterator[Diagnostic]:
        for node, key in _keys_read(chunk):
            if key in self._keys_set:
                end = node.end_lineno or node.lineno, node.end_col_offset or 0
                place = module.shown_place((node.lineno, node.col_offset), end)
                yield messages.set_before_import(place, f'{ENVIRONMENT}["{key}"]')

    @cached_property
    def _order(self) -> dict[Place, int]:
        """The places of statements, as Python runs them."""
        return {place: at for at, place in enumerate(in_order(self.graph, self.reached, self.resolved))}

    @cached_property
    def _imported_late(self) -> list[Place]:
        """The statements of modules that are imported late, of those that the script imports too."""
        sure = {*self.graph.surely_run()}
        kept = [each for each in self.graph.run_with(self.late) if each not in sure | {*self.late}]
        own = [place for place in self.reached if place[0] in self.late]
        return [*own, *((module, chunk) for module in kept for chunk in module.chunks)]

    @cached_property
    def _set_late(self) -> frozenset[str]:
        """What functions set, and what stands below the guard."""
        places = [(module, chunk, use) for module, chunk in self.reached for use in _uses(chunk, True)]
        return frozenset(
            name
            for module, chunk, use in places
            if use.is_late or chunk.is_guard
            for name in self._set_by(module, chunk, use)
        )

    @cached_property
    def _keys_set(self) -> frozenset[str]:
        """The variables of the environment that functions set, and what stands below the guard."""
        return frozenset(
            key
            for _, chunk in self.reached
            for node in chunk.nodes
            if chunk.is_guard or isinstance(node, ast.FunctionDef | ast.ClassDef)
            for part in ast.walk(node)
            for key in _keys(part, sets=True)
        )

    @cached_property
    def _set_first(self) -> dict[str, int]:
        """What is set as modules are run, and at which place."""
        found: dict[str, int] = {}
        for module, chunk in self.reached:
            for use in (each for each in _uses(chunk, True) if not (each.is_late or chunk.is_guard)):
                for name in self._set_by(module, chunk, use):
                    place = self._order.get((module, chunk), len(self._order))
                    found[name] = min(place, found.get(name, place))
        return found

    def _set_by(self, module: Module, chunk: Chunk, use: Use) -> Iterator[str]:
        """The variables of other modules that a use sets, or a function that it names."""
        name = self._name(module, chunk, use)
        owner, _, last = name.rpartition(".")
        found = self.graph.module(owner) if owner else None
        if found is None or found is module or self.graph.is_embedded(found):
            return
        if use.stores and use.attributes:
            yield name
        elif not use.stores:
            for setter in found.binders.get(last, []):
                yield from (f"{owner}.{each}" for each in setter.declared)

    def _is_copied(self, module: Module, use: Use) -> bool:
        """Whether an import has given the module the value under a name of its own."""
        imported = module.imports.get(use.name)
        return imported is not None and use.local_import is None and isinstance(imported[0], ast.ImportFrom)

    def _import_of(self, module: Module, use: Use) -> int:
        """The place of the import of a name."""
        node, _ = module.imports[use.name]
        found = (at for (of, chunk), at in self._order.items() if of is module and node in chunk.nodes)
        return next(found, 0)

    def _name(self, module: Module, chunk: Chunk, use: Use) -> str:
        """The dotted name of what a use asks for, or sets; empty: it is nothing of another module's."""
        match self._target(module, chunk, use):
            case External(bound) if not bound.level:
                first = ".".join(filter(None, (bound.module, bound.attribute)))
            case ModuleReference(name):
                first = name
            case Definition(owner, name):
                first = f"{owner.place.name}.{name}"
            case _:
                return ""
        return ".".join((first, *use.attributes))

    def _target(self, module: Module, chunk: Chunk, use: Use) -> Target | None:
        """What a name stands for, be it imported in a function or below the guard."""
        if use.local_import:
            return self.graph.imported(module, *use.local_import)
        imports = module.imports_in_guard(use.name) if use.name in module.binders else []
        return (
            self.graph.imported(module, *imports[0])
            if len(imports) == 1
            else self.graph.seen(module, chunk, use)
        )


def _uses(chunk: Chunk, sets: bool = False) -> Iterable[Use]:
    """What a statement reads; or with `sets`, all that it names."""
    found = (use for uses in chunk.uses for use in uses.names if not use.in_annotation)
    return (use for use in found if sets or not use.stores)


def _keys_read(chunk: Chunk) -> Iterator[tuple[ast.expr, str]]:
    """What a statement reads of the environment as it is run, but in functions."""
    waiting: list[ast.AST] = [*chunk.nodes]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.expr):
            yield from ((node, key) for key in _keys(node, sets=False))


def _keys(node: ast.AST, sets: bool) -> Iterator[str]:
    """The variable of the environment that an expression reads, or sets."""
    match node:
        case ast.Subscript(owner, ast.Constant(str(key)), context):
            is_meant = sets is isinstance(context, ast.Store) and ast.unparse(owner) == ENVIRONMENT
        case ast.Call(function, [ast.Constant(str(key)), *_]):
            is_meant = ast.unparse(function) in (SETTING if sets else READING)
        case _:
            return
    if is_meant:
        yield key
