"""What the program is called with, where code asks the parser of a LightningCLI for it."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from ..modules.module import Module

WRITTEN = "sys.argv[1:]"
"""What the parser is given where LightningCLI is given no `args`."""


def asked_for(module: Module, parsers: Container[ast.expr]) -> list[ast.Attribute]:
    """Where a module asks some of the parsers for them."""
    nodes = (node for node in module.nodes if isinstance(node, ast.Attribute))
    return [
        node
        for node in nodes
        if node.attr == "args" and isinstance(node.ctx, ast.Load) and node.value in parsers
    ]


def can_import(module: Module) -> bool:
    """Whether `sys` is Python's in all of a module, or can be imported there."""
    names = [node for node in module.nodes if isinstance(node, ast.Name) and node.id == "sys"]
    is_set = any(not isinstance(node.ctx, ast.Load) for node in names)
    is_taken = any(isinstance(node, ast.arg) and node.arg == "sys" for node in module.nodes)
    return not is_set and not is_taken and (_is_imported(module) or _last_import(module) is not None)


def importing(module: Module) -> Iterator[tuple[tuple[int, int], str]]:
    """Where what has to be written, so that `sys` is there."""
    found = _last_import(module)
    if found and not _is_imported(module):
        yield (found.end_lineno or 0, found.end_col_offset or 0), "; import sys"


def _is_imported(module: Module) -> bool:
    imports = (each for each in module.tree.body if isinstance(each, ast.Import))
    return any(name.name == "sys" and not name.asname for each in imports for name in each.names)


def _last_import(module: Module) -> ast.stmt | None:
    found = [each for each in module.tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    return found[-1] if found else None
