"""What stands in any syntax tree, and its code: kept, as the same is asked again and again."""

from __future__ import annotations

import ast
from functools import cache, lru_cache
from typing import TypeVar, cast

import libcst as cst

from . import patterns as m
from .children import children

Node = TypeVar("Node", bound=cst.CSTNode)

EMPTY = cst.Module([])
DOCSTRING = m.SimpleStatementLine(body=[m.Expr(m.SimpleString() | m.ConcatenatedString())])


@lru_cache(maxsize=16_384)
def code_for(node: cst.CSTNode) -> str:
    """The node's code. Kept, as it is asked for again and again."""
    return EMPTY.code_for_node(node)


def is_docstring(statement: cst.CSTNode) -> bool:
    """Whether a statement is nothing but a text."""
    return m.matches(statement, DOCSTRING)


@lru_cache(maxsize=4_096)
def ast_nodes(node: cst.CSTNode) -> tuple[ast.AST, ...]:
    """The nodes of the same code in Python's own tree, where names tell whether they are set."""
    return tuple(ast.walk(ast.parse(code_for(node).strip())))


def findall(tree: cst.CSTNode, pattern: m.Pattern) -> list[cst.CSTNode]:
    """The nodes of the tree that match, itself included, in the order of the source."""
    names = frozenset(kind.__name__ for kind in m.kinds(pattern))
    return [node for node in _of_kinds(tree, names) if m.matches(node, pattern)]


def nodes(tree: cst.CSTNode, *kinds: type[Node]) -> list[Node]:
    """The nodes of the tree that are of the kinds, itself included, in the order of the source."""
    names = frozenset(each.__name__ for kind in kinds for each in _family(kind))
    return cast("list[Node]", _of_kinds(tree, names))


@cache
def _family(kind: type[cst.CSTNode]) -> frozenset[type[cst.CSTNode]]:
    return frozenset({kind, *(each for below in kind.__subclasses__() for each in _family(below))})


def _of_kinds(tree: cst.CSTNode, kinds: frozenset[str]) -> list[cst.CSTNode]:
    below = _nodes_below(tree)
    lists = [below[kind] for kind in kinds if kind in below]
    in_order = lists[0] if len(lists) == 1 else sorted(pair for each in lists for pair in each)
    found = [node for _, node in in_order]
    return [tree, *found] if type(tree).__name__ in kinds else found


@lru_cache(maxsize=4_096)
def _nodes_below(tree: cst.CSTNode) -> dict[str, list[tuple[int, cst.CSTNode]]]:
    """All nodes in the tree but itself, by kind, each with its place in the order of the source."""
    found: dict[str, list[tuple[int, cst.CSTNode]]] = {}
    waiting, number = children(tree)[::-1], 0
    while waiting:
        node = waiting.pop()
        found.setdefault(type(node).__name__, []).append((number, node))
        waiting += children(node)[::-1]
        number += 1
    return found
