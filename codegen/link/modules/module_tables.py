"""Tables of modules, such as `NETS = {"small": small, "big": big}`, of which code asks `NETS[name].Net`.

Where that is all that becomes of a table, namespaces of what is asked for take the places of the modules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .classes_named import names_in
from .graph import Definition, Graph, ModuleReference
from .module import Module
from .scopes import Use

COUNTING = frozenset({"len", "list", "sorted", "tuple", "set"})
"""Functions that see only the keys of a table."""


@dataclass(frozen=True)
class _Asked:
    """What becomes of a table's entries."""

    members: frozenset[str] = frozenset()
    by_name: bool = False  # for what has a name that a run knows
    unknown: bool = False

    def __or__(self, other: _Asked) -> _Asked:
        return _Asked(
            self.members | other.members, self.by_name or other.by_name, self.unknown or other.unknown
        )


KEYS, UNKNOWN = _Asked(), _Asked(unknown=True)


def members_of_entry(
    graph: Graph, module: Module, use: Use, entry: ModuleReference
) -> dict[str, Definition] | None:
    """What is asked of a module that is an entry of a table, by its names; None: it may be something else."""
    found = graph.module(entry.name)
    if found is None or found.stars or "__getattr__" in found.binders:
        return None
    asked = _asked_through(graph, module, use)
    if asked.unknown:
        return None
    names = {*asked.members, *(names_in(graph, found) if asked.by_name else ())}
    targets = {name: graph.member(entry.name, name) for name in sorted(names)}
    wanted = {name: target for name, target in targets.items() if target is not None}
    sure = {name: each for name, each in wanted.items() if isinstance(each, Definition) and _is_fixed(each)}
    return sure if all(name in sure for name in asked.members & wanted.keys()) else None


def _asked_through(graph: Graph, module: Module, use: Use) -> _Asked:
    """What becomes of the entries of the table that a use stands in, by a name or at once."""
    above, table = _above(module), _table_with(module, use)
    match above.get(table) if table else None:
        case ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)) as statement:
            chunks = module.binders.get(name, [])
            if [each.nodes for each in chunks] != [(statement,)]:
                return UNKNOWN
            asked = KEYS
            firsts = (*graph.first_modules, module)
            for each in dict.fromkeys(each for first in firsts for each in graph.closure(first)):
                for part in _asked_in(each, name, module):
                    asked |= part
            return asked
    return _asked_of_table(table, above) if table else UNKNOWN


def _above(module: Module) -> dict[ast.AST, ast.AST]:
    """What each node stands in."""
    return {child: node for node in module.nodes for child in ast.iter_child_nodes(node)}


def _table_with(module: Module, use: Use) -> ast.Dict | None:
    """The table of which a use is an entry; None: of none."""
    for node in (each for each in module.nodes if isinstance(each, ast.Dict)):
        for value in node.values:
            start, end = (value.lineno, value.col_offset), (value.end_lineno, value.end_col_offset)
            if (start, end) == (use.spans[0][0], use.spans[-1][1]):
                return node
    return None


def _is_fixed(definition: Definition) -> bool:
    """Whether it is one class or function, whatever happens."""
    chunks = definition.module.binders.get(definition.name, [])
    nodes = [node for chunk in chunks for node in chunk.nodes]
    return len(nodes) == 1 and isinstance(nodes[0], ast.ClassDef | ast.FunctionDef)


def _asked_in(module: Module, table: str, owner: Module) -> Iterator[_Asked]:
    """What becomes of the entries of a table where a module has its name."""
    if table not in module.text:
        return
    above = _above(module)
    for node in module.nodes:
        match node:
            case ast.Name(name) | ast.Attribute(attr=name) if name == table:
                is_binding = module is owner and isinstance(above[node], ast.Assign | ast.AnnAssign)
                is_bound = is_binding and isinstance(node.ctx, ast.Store) and isinstance(node, ast.Name)
                yield KEYS if is_bound else _asked_of_table(node, above)
            case ast.alias(name, other) if name == table:
                yield UNKNOWN if other not in (None, table) else KEYS
            case ast.Constant(str(text)) if text == table:
                yield UNKNOWN  # it may be asked for by its name
            case ast.Global(names) if table in names:
                yield UNKNOWN
            case ast.arg(name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name == table:
                yield UNKNOWN


def _asked_of_table(node: ast.expr, above: dict[ast.AST, ast.AST]) -> _Asked:
    """What becomes of the entries of a table that stands somewhere."""
    parent = above[node]
    match parent:
        case ast.Subscript(value, _, ast.Load()) if value is node:
            return _asked_of_entry(parent, above)
        case ast.Attribute(attr="keys") if _is_called_bare(parent, above):
            return KEYS
        case ast.Attribute(attr="get"):
            call = above[parent]
            is_plain = isinstance(call, ast.Call) and call.func is parent and len(call.args) == 1
            return _asked_of_entry(call, above) if is_plain else UNKNOWN
        case ast.Compare(comparators=[value], ops=[ast.In() | ast.NotIn()]) if value is node:
            return KEYS
        case ast.Call(ast.Name(function), [value], []) if function in COUNTING and value is node:
            return KEYS
    return UNKNOWN


def _is_called_bare(node: ast.AST, above: dict[ast.AST, ast.AST]) -> bool:
    call = above[node]
    return isinstance(call, ast.Call) and call.func is node and not call.args and not call.keywords


def _asked_of_entry(node: ast.AST, above: dict[ast.AST, ast.AST]) -> _Asked:
    """What is asked of the entry that an expression gives."""
    parent = above[node]
    match parent:
        case ast.Attribute(value, attr, ast.Load()) if value is node and not attr.startswith("__"):
            return _Asked(frozenset({attr}))
        case ast.Call(ast.Name("getattr"), [value, name], []) if value is node:
            return _asked_by(name)
        case ast.Call(ast.Name("vars"), [value], []) if value is node:
            asking = above[parent]
            if isinstance(asking, ast.Subscript) and isinstance(asking.ctx, ast.Load):
                return _asked_by(asking.slice) if asking.value is parent else UNKNOWN
    return UNKNOWN


def _asked_by(name: ast.expr) -> _Asked:
    if isinstance(name, ast.Constant):
        return _Asked(frozenset({str(name.value)}))
    return _Asked(by_name=True)
