"""Modules of the project's that are used as values, as in `table = first if wide else second`.

Where all is known that such a module has, an object with the same names takes its place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from keyword import iskeyword

from ... import messages
from ...diagnostics import Diagnostic
from ...source.names import free_name
from ...source.source_text import Line
from ..modules.classes_named import names_in
from ..modules.graph import Definition, External, Graph, ModuleReference
from ..modules.module import Chunk, Module
from ..modules.scopes import Position
from ..running.order import Resolved

MAKING = "module_here"
"""What the code is written with: the script has a class for it."""


@dataclass(frozen=True, eq=False)
class ModuleValue(Module):
    """The code that makes an object of what a module has; it stands for the top of that module's file."""

    top: str = ""  # the file's first line

    @property
    def shown_files(self) -> dict[str, list[str]]:
        return {self.path: [self.top]}

    def line(self, number: int, text: str | None = None) -> Line:
        return Line(self.path, 1, self.lines[number - 1] if text is None else text, whole=(0, len(self.top)))

    def shown_place(self, start: Position, end: Position) -> messages.Place:
        span, _ = super().shown_place((1, 0), (1, len(self.top)))
        return span, self.top


def value_of(graph: Graph, name: str) -> Definition | None:
    """The object in the place of a module; None: it may have more than is known."""
    module = graph.module(name)
    if module is None or not _is_known(graph, module):
        return None
    if module not in graph.values:
        graph.values[module] = _value(graph, module)
    return graph.values[module]


def _is_known(graph: Graph, module: Module, above: frozenset[Module] = frozenset()) -> bool:
    """Whether a module has the same names in any case, for what is no part of Lightning's."""
    place = module.place
    if module in above or module in graph.first_modules or place.is_package or place.is_far:
        return False
    if module.stars or "__getattr__" in module.binders or any(each.declared for each in module.chunks):
        return False
    if not all(map(_surely_bind, module.binders.values())):
        return False
    if not all(part.isidentifier() and not iskeyword(part) for part in place.name.split(".")):
        return False
    return all(_is_held(graph, module, name, above | {module}) for name in _names(graph, module))


def _surely_bind(chunks: Iterable[Chunk]) -> bool:
    """Whether there is what some statements bind, once they are all run."""
    nodes = [node for chunk in chunks for node in chunk.nodes]
    parts = (part for node in nodes for part in ast.walk(node))
    return any(chunk.is_plain for chunk in chunks) and not any(isinstance(each, ast.Delete) for each in parts)


def _is_held(graph: Graph, module: Module, name: str, above: frozenset[Module]) -> bool:
    """Whether an object may have what a module has under a name."""
    target = graph.resolve(module, name)
    if isinstance(target, ModuleReference):
        inner = graph.module(target.name)
        return inner is not None and _is_known(graph, inner, above)
    return isinstance(target, Definition) or (isinstance(target, External) and not target.bound.is_lightnings)


def _names(graph: Graph, module: Module) -> list[str]:
    """The names that a module has, as it binds them one after the other."""
    lines = {name: node.lineno for name, (node, _) in module.imports.items()}
    lines |= {name: chunks[0].line for name, chunks in module.binders.items()}
    found = {*names_in(graph, module)} - module.imports_for_types.keys()
    return sorted(found, key=lambda name: (lines[name], name))


def _value(graph: Graph, module: Module) -> Definition:
    name, names = module.place.name, _names(graph, module)
    own = free_name(name.rpartition(".")[2], {*names, MAKING})
    given = ", ".join([f'__name__="{name}"', *(f"{each}={each}" for each in names)])
    lines = [f"from ddpgen import {MAKING}", f"{own} = {MAKING}({given})"]
    if names:
        lines.insert(1, f"from {name} import {', '.join(names)}")
    return Definition(ModuleValue(module.place, module.path, "\n".join(lines), top=module.lines[0]), own)


def loaded_again(module: Module) -> list[Position]:
    """Where `importlib.reload` is given something."""
    if "reload" not in module.text:
        return []
    calls = (each for each in module.nodes if isinstance(each, ast.Call) and each.args)
    given = (each.args[0] for each in calls if ast.unparse(each.func).endswith("reload"))
    return [(each.lineno, each.col_offset) for each in given]


def names_set(
    graph: Graph, chunks: Iterable[tuple[Module, Chunk]], resolved: Mapping[Chunk, list[Resolved]]
) -> list[Diagnostic]:
    """Statements that set what such a module has: the object would go on having what there was before."""
    reached = [*chunks]
    known = {module for module, _ in reached}
    used = {module for module, value in graph.values.items() if value.module in known}
    return [
        messages.module_value_set(module.place_of_use(each.use), f"{each.use.name}.{each.target.name}")
        for module, chunk in reached
        for each in resolved.get(chunk, ())
        if isinstance(each.target, Definition) and each.target.module in used
        if each.use.stores and each.taken
    ]
