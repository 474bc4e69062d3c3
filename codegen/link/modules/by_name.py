"""Modules and their classes that code asks for by a name in quotes, or by one that only a run knows."""

from __future__ import annotations

import ast

from .scopes import Position


def with_import_statements(tree: ast.Module) -> ast.Module:
    """The tree with `import a.b as c` for `c = importlib.import_module("a.b")`, where that stands."""
    _Imports().visit(tree)
    return tree


class _Imports(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
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
        return node


def lookups_in(tree: ast.Module) -> dict[Position, ast.Call]:
    """The calls `getattr(module, name)`, by where what may be a module stands."""
    found = {}
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("getattr"), [ast.Name() | ast.Attribute() as owner, _, *more], []):
                if len(more) < 2:
                    found[owner.lineno, owner.col_offset] = node
    return found
