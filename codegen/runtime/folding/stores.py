"""What code assigns."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from ...index.search import ast_nodes


@dataclass(frozen=True)
class Stores:
    """What code assigns."""

    names: Counter[str]  # with the number of places
    attributes: frozenset[str]


@lru_cache(maxsize=4_096)
def stores(node: cst.CSTNode) -> Stores:
    stored = [each for each in ast_nodes(node) if _is_stored(each)]
    return Stores(
        Counter(each.id for each in stored if isinstance(each, ast.Name)),
        frozenset(each.attr for each in stored if isinstance(each, ast.Attribute)),
    )


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)
