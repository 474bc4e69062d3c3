"""Imports that a module tries, and that surely succeed: what it does without the package is never done."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ...lightning.sure_imports import catches_missing

TRIED = frozenset({"hydra"})
"""Packages of which it matters to a script that a name stands for theirs, and for nothing else."""


def packages_there(tree: ast.Module) -> frozenset[str]:
    """Those of them that the entry imports at its top level, without which nothing runs."""
    found = set[str]()
    for node in tree.body:
        match node:
            case ast.Import(names):
                found |= {each.name.partition(".")[0] for each in names}
            case ast.ImportFrom(str(module), level=0):
                found.add(module.partition(".")[0])
    return TRIED & found


def with_tried_imports(tree: ast.Module, there: Collection[str]) -> ast.Module:
    """The tree with `import hydra` for `try: import hydra` and what is done without it, where it is `there`."""
    tree.body = [_tried(node, there) or node for node in tree.body]
    return tree


def _tried(node: ast.stmt, there: Collection[str]) -> ast.Import | None:
    """The import that a statement comes to, at its place and as long as that."""
    match node:
        case ast.Try([ast.Import([ast.alias(name)]) as tried], orelse=[], finalbody=[]) if name in there:
            return ast.copy_location(ast.Import(tried.names), node) if catches_missing(node) else None
    return None
