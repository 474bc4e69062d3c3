"""Which statements of which modules the script needs, and in what order Python would run them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ... import messages
from ...diagnostics import Diagnostic
from ...source.execution import SUBCLASSES
from ..effects import acts, acts_outside, own_calls_act_outside
from ..imports.not_there import not_there
from ..modules.graph import Definition, External, Graph, ModuleReference, Target
from ..modules.module import Chunk, Module
from ..modules.scopes import uses_of
from ..running.late import Late, draws_or_sets
from ..running.noted import definitions_called, is_known_elsewhere, lineage, noting
from ..running.order import Resolved, in_order
from ..running.set_before_import import SetBeforeImport
from .copied_variables import copied_variables
from .module_values import names_set
from .resolution import Resolution

DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(eq=False)
class Reach:
    """What is reached from all statements of the entry."""

    graph: Graph
    chunks: dict[tuple[Module, Chunk], None] = field(default_factory=dict)
    resolved: dict[Chunk, list[Resolved]] = field(default_factory=dict)
    finds_subclasses: bool = False  # by asking their base for them
    resolution: Resolution = field(init=False)
    problems: list[Diagnostic] = field(init=False)
    notes: list[Diagnostic] = field(init=False)

    def __post_init__(self) -> None:
        self.resolution = Resolution(self.graph)
        self.problems, self.notes = self.resolution.problems, self.resolution.notes

    def run(self) -> None:
        """Follow every name, until nothing is added."""
        graph, first = self.graph, self.graph.first_modules
        self._follow((each, chunk) for each in first for chunk in each.chunks if not chunk.is_import)
        self._follow(self._named_by_spec())
        executed = [each for each in graph.surely_run() if each not in first and graph.is_embedded(each)]
        late = Late(graph, executed)
        while True:
            before = len(self.chunks)
            run = [*executed, *late.modules(self.chunks)]
            self.finds_subclasses = any(SUBCLASSES in each.text for each in {each for each, _ in self.chunks})
            self._follow(
                [(each, chunk) for each in run for chunk in each.chunks if self._has_effect(each, chunk)]
            )
            if len(self.chunks) == before:
                break
        self.problems += copied_variables(self.chunks, self.resolved)
        self.problems += names_set(graph, self.chunks, self.resolved)
        set_before = SetBeforeImport(graph, self.chunks, self.resolved, late.modules(self.chunks))
        self.problems += set_before.told()
        told = [*late.told(self.chunks)]
        self.problems += (each for each in told if each.severity == "error")
        self.notes += (each for each in told if each.severity != "error")
        left = ((each, chunk) for each in run for chunk in each.chunks if (each, chunk) not in self.chunks)
        self.notes += [
            messages.statement_left_out(each.place_of(chunk))
            for each, chunk in left
            if self._is_missed(each, chunk)
        ]

    @property
    def looks_up(self) -> bool:
        """Whether a table takes the place of a module somewhere."""
        return self.resolution.looks_up or any(
            each.looked_up for found in self.resolved.values() for each in found
        )

    def _is_missed(self, module: Module, chunk: Chunk) -> bool:
        """Whether a statement that binds a name which nothing needs may do something by what it calls."""
        if chunk.is_import or chunk.is_guard:
            return False
        nodes = [node for node in chunk.nodes if not isinstance(node, DEFINITIONS)]
        return own_calls_act_outside(self.graph, module, nodes)

    def _named_by_spec(self) -> Iterator[tuple[Module, Chunk]]:
        """What defines the classes that the spec names."""
        for named in self.graph.spec_classes:
            target = self.graph.class_at(named.path)
            if isinstance(target, Definition):
                yield from ((target.module, binder) for binder in target.module.binders[target.name])

    def _follow(self, chunks: Iterable[tuple[Module, Chunk]]) -> None:
        waiting = list(chunks)
        while waiting:
            place = waiting.pop()
            if place not in self.chunks:
                self.chunks[place] = None
                waiting.extend(self._needed_by(*place))

    def _needed_by(self, module: Module, chunk: Chunk) -> Iterator[tuple[Module, Chunk]]:
        found = list(self.resolution.of_chunk(module, chunk))
        self.resolved[chunk] = found
        targets: list[Target | None] = [each.target for each in found]
        for uses in chunk.uses:
            names = [name for node in uses.declared for name in node.names]
            names += [name for _, quoted in uses.annotations for name in quoted]
            targets += [self.graph.resolve(module, name) for name in names]
            targets += [
                self.graph.imported(module, node, alias, may_fail=isinstance(chunk.nodes[0], ast.Try))
                for node, is_local in uses.imports
                if not is_local
                for alias in node.names
            ]
            for node in (node for node, is_local in uses.imports if is_local):
                self.problems += self.graph.damaged(module, node)
        if chunk.is_import and module.names_bound(chunk):
            self._check_rebound(module, chunk)
        for each in found:
            if isinstance(each.target, External) and not each.use.in_annotation:
                self.problems += self.graph.unread.get(each.target.bound.target, ())
                self.problems += not_there(self.graph, module, each.use, each.target.bound)
            if isinstance(each.target, External) and each.use.name in module.imports_for_types:
                yield module, module.imports_for_types[each.use.name]
        for target in targets:
            if isinstance(target, Definition):
                yield from ((target.module, binder) for binder in target.module.binders[target.name])

    def _check_rebound(self, module: Module, chunk: Chunk) -> None:
        """A module of the project's is no value that a variable, which is bound anew, could hold."""
        for name in sorted(module.names_bound(chunk)):
            if isinstance(self.graph.imported(module, *module.imports[name]), ModuleReference):
                self.problems.append(messages.module_as_value(module.place_of(chunk), name))

    def _has_effect(self, module: Module, chunk: Chunk) -> bool:
        """Whether a statement does something that what is reached may depend on."""
        if chunk.is_import or chunk.is_guard or chunk.is_text or (module, chunk) in self.chunks:
            return False
        if chunk.names and not any(map(acts, chunk.nodes)):
            is_noted = is_known_elsewhere(self.graph, module, chunk) or self._registers(module, chunk)
            return is_noted or draws_or_sets(self.graph, module, chunk)
        resolved = list(self.resolution.of_chunk(module, chunk))
        own = [each.target for each in resolved if isinstance(each.target, Definition)]
        if not own or any(self._may_note(each) for each in own):
            return True
        return acts_outside(self.graph, module, chunk.nodes)

    def _registers(self, module: Module, chunk: Chunk) -> bool:
        """Whether a decorator, a metaclass or a base notes a definition in something that is reached."""
        return any(self._is_entered(module, node) for node in chunk.nodes)

    def _is_entered(self, module: Module, node: ast.stmt) -> bool:
        heads = (called(decorator) for decorator in getattr(node, "decorator_list", []))
        uses = [use for head in heads for use in uses_of(ast.Expr(head)).names]
        if any(self._may_note(each) for each in self.resolution.definitions(module, uses)):
            return True
        return isinstance(node, ast.ClassDef) and (
            any(map(self._notes, noting(self.graph, module, node))) or self._is_found(module, node)
        )

    def _notes(self, noting: Definition) -> bool:
        """Whether a metaclass or a base is reached, or a variable is that it may put classes into."""
        chunks = noting.module.binders.get(noting.name, [])
        used = self.resolution.definitions(
            noting.module, [use for each in chunks for uses in each.uses for use in uses.names]
        )
        return self._is_reached(noting) or any(
            _is_changeable(each) and self._is_reached(each) for each in used
        )

    def _is_found(self, module: Module, node: ast.ClassDef) -> bool:
        """Whether what is reached asks a base for the classes that derive from it."""
        bases = definitions_called(self.graph, module, node.bases) if self.finds_subclasses else ()
        return any(self._is_reached(part) for base in bases for part in lineage(self.graph, base))

    def _may_note(self, definition: Definition, seen: set[Definition] | None = None) -> bool:
        """Whether a definition is reached, or is a function's that may change a variable that is."""
        seen = set() if seen is None else seen
        if self._is_reached(definition) or definition in seen:
            return definition not in seen
        seen.add(definition)
        chunks = [each for each in definition.module.binders.get(definition.name, []) if _is_function(each)]
        uses = [use for chunk in chunks for each in chunk.uses for use in each.names]
        used = self.resolution.definitions(definition.module, uses)
        return any(
            _is_changeable(each) if self._is_reached(each) else self._may_note(each, seen) for each in used
        )

    def _is_reached(self, definition: Definition) -> bool:
        binders = definition.module.binders.get(definition.name, [])
        return any((definition.module, chunk) in self.chunks for chunk in binders)

    @cached_property
    def in_order(self) -> list[tuple[Module, Chunk]]:
        """All statements of the modules reached, plain imports included, in the order in which Python runs them."""
        return in_order(self.graph, self.chunks, self.resolved)


def called(node: ast.expr) -> ast.expr:
    """What is called, of a call."""
    return called(node.func) if isinstance(node, ast.Call) else node


def _is_function(chunk: Chunk) -> bool:
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in chunk.nodes)


def _is_changeable(definition: Definition) -> bool:
    """Whether it is a variable that is no constant, such as a table."""
    nodes = [node for chunk in definition.module.binders[definition.name] for node in chunk.nodes]
    values = [node.value for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign)]
    return any(isinstance(value, ast.Dict | ast.List | ast.Set | ast.Call) for value in values)
