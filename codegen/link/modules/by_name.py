"""Modules and their classes that code asks for by a name in quotes, or by one that only a run knows."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .scopes import Position


def with_import_statements(tree: ast.Module) -> ast.Module:
    """The tree with `import a.b as c` for `c = importlib.import_module("a.b")`, where that stands.

    Within functions and branches, where a library's module is asked for as before, the function stays in use.
    """
    for index, node in enumerate(tree.body):
        tree.body[index] = _imported(node) or _Imports().visit(node)
    return tree


class _Imports(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        found = _imported(node)
        if found is None:
            return node
        assert isinstance(node.value, ast.Call)
        function = node.value.func.value if isinstance(node.value.func, ast.Attribute) else node.value.func
        return [found, ast.copy_location(ast.Expr(function), node)]


def _imported(node: ast.stmt) -> ast.stmt | None:
    """The import that a statement is."""
    match node:
        case ast.Assign(
            [ast.Name(name)],
            ast.Call(
                ast.Attribute(ast.Name("importlib"), "import_module") | ast.Name("import_module"),
                [ast.Constant(str(module))],
                [],
            ),
        ) if not module.startswith("."):
            alias = ast.copy_location(ast.alias(module, name), node)
            return ast.copy_location(ast.Import([alias]), node)
    return None


ASKING = ("getattr", "hasattr", "globals", "__dict__", "vars")
"""What a text has in it that asks so."""


@dataclass(frozen=True)
class Lookup:
    """An expression that asks what may be a module, or the module that it stands in, for what has a name."""

    node: ast.Call | ast.Subscript
    name: ast.expr
    has_default: bool = False
    is_own: bool = False  # asks the module that it stands in, for what is called then
    is_test: bool = False  # asks whether there is such a thing


def lookups_in(tree: ast.Module) -> dict[Position, Lookup]:
    """The expressions that do, by where what may be a module stands."""
    found, called = {}, _called(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("getattr"), [ast.Name() | ast.Attribute() as owner, name, *more], []):
                if len(more) < 2:
                    found[owner.lineno, owner.col_offset] = Lookup(node, name, bool(more))
            case ast.Call(ast.Name("hasattr"), [ast.Name() | ast.Attribute() as owner, name], []):
                found[owner.lineno, owner.col_offset] = Lookup(node, name, is_test=True)
            case ast.Subscript(
                ast.Attribute(ast.Name() | ast.Attribute() as owner, "__dict__")
                | ast.Call(ast.Name("vars"), [ast.Name() | ast.Attribute() as owner], []),
                name,
                ast.Load(),
            ):
                found[owner.lineno, owner.col_offset] = Lookup(node, name)
            case ast.Call(
                ast.Name("getattr"),
                [
                    ast.Subscript(ast.Attribute(ast.Name("sys"), "modules"), ast.Name("__name__")) as owner,
                    name,
                ],
                [],
            ) | ast.Subscript(ast.Call(ast.Name("globals"), [], []) as owner, name, ast.Load()):
                if node in called and not isinstance(name, ast.Constant):
                    found[owner.lineno, owner.col_offset] = Lookup(node, name, is_own=True)
    return found


def _called(tree: ast.Module) -> set[ast.expr]:
    """The expressions that are called, at once or under the name that they are bound to."""
    callees = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {each.id for each in callees if isinstance(each, ast.Name)}
    bound = (node for node in ast.walk(tree) if isinstance(node, ast.Assign))
    return callees | {
        each.value
        for each in bound
        for target in each.targets
        if isinstance(target, ast.Name) and target.id in names
    }
