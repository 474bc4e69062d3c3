"""What is asked of syntax trees over and over, without libcst's visits to each comma and space."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar, cast

import libcst as cst
import libcst.matchers as m

from ..index.children import children, fields

Node = TypeVar("Node", bound=cst.CSTNode)
Visitor = cst.CSTTransformer | cst.CSTVisitor

EMPTY = cst.Module([])


@lru_cache(maxsize=16_384)
def code_for(node: cst.CSTNode) -> str:
    """The node's code. Kept, as it is asked for again and again."""
    return EMPTY.code_for_node(node)


# ---- searching -------------------------------------------------------------------------------------------


def findall(tree: cst.CSTNode, matcher: m.BaseMatcherNode) -> list[cst.CSTNode]:
    """The nodes of the tree that match, itself included, in the order of the source."""
    kinds = _kinds(matcher)
    if isinstance(matcher, m.OneOf) or not _is_bare(matcher):
        return [node for node in _of_kinds(tree, kinds) if m.matches(node, matcher)]
    return _of_kinds(tree, kinds)


def nodes(tree: cst.CSTNode, *kinds: type[Node]) -> list[Node]:
    """The nodes of the tree that are of the kinds, itself included, in the order of the source."""
    names = frozenset(each.__name__ for kind in kinds for each in _family(kind))
    return cast("list[Node]", _of_kinds(tree, names))


@cache
def _family(kind: type[cst.CSTNode]) -> frozenset[type[cst.CSTNode]]:
    return frozenset({kind, *(each for below in kind.__subclasses__() for each in _family(below))})


def _kinds(matcher: m.BaseMatcherNode) -> frozenset[str]:
    """The names of the kinds of nodes that can match."""
    each = matcher.options if isinstance(matcher, m.OneOf) else [matcher]
    return frozenset(type(one).__name__ for one in each)


def _is_bare(matcher: m.BaseMatcherNode) -> bool:
    """Whether every node of the kind matches."""
    return all(value is m.DoNotCare() for value in vars(matcher).values())


def _of_kinds(tree: cst.CSTNode, kinds: frozenset[str]) -> list[cst.CSTNode]:
    below = _nodes_below(tree)
    lists = [below[kind] for kind in kinds if kind in below]
    found = [
        node for _, node in (lists[0] if len(lists) == 1 else sorted(pair for each in lists for pair in each))
    ]
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


# ---- rewriting -------------------------------------------------------------------------------------------


def rewritten(node: Node, transformer: cst.CSTTransformer) -> Node:
    """The tree as the transformer leaves it; what it does not change stays the very same nodes."""
    return cast(Node, _visited(node, transformer))


def visit(node: cst.CSTNode, visitor: cst.CSTVisitor) -> None:
    """Show the visitor all nodes of the tree, as it asks for them."""
    _visited(node, visitor)


def _visited(node: cst.CSTNode, visitor: Visitor) -> Any:
    visit, leave = _methods(type(visitor), type(node))
    updated = node if visit and visit(visitor, node) is False else _with_children(node, visitor)
    if leave is None:
        return updated
    if isinstance(visitor, cst.CSTVisitor):
        leave(visitor, node)
        return node
    return leave(visitor, node, updated)


@cache
def _methods(visitor: type[Visitor], kind: type[cst.CSTNode]) -> tuple[Any, Any]:
    """What the visitor itself does when it comes to a node, and when it leaves it."""
    base = cst.CSTTransformer if issubclass(visitor, cst.CSTTransformer) else cst.CSTVisitor

    def own(name: str) -> Any:
        method = getattr(visitor, name)
        return None if method is getattr(base, name) else method

    return own("on_visit") or own(f"visit_{kind.__name__}"), own(f"leave_{kind.__name__}")


def _with_children(node: cst.CSTNode, visitor: Visitor) -> cst.CSTNode:
    changes: dict[str, object] = {}
    for name in fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            new: object = _visited(value, visitor)
            if isinstance(new, cst.RemovalSentinel | cst.FlattenSentinel):
                raise TypeError(f"{name} of {type(node).__name__} is one node")
        elif isinstance(value, list | tuple):
            new = _sequence(value, visitor)
        else:
            continue
        if new is not value:
            changes[name] = new
    return node.with_changes(**changes) if changes else node


def _sequence(old: Sequence[cst.CSTNode], visitor: Visitor) -> Sequence[cst.CSTNode]:
    """The nodes that stand in place of these; a line that has lost all its statements goes."""
    new: list[cst.CSTNode] = []
    for each in old:
        result = _visited(each, visitor)
        if isinstance(result, cst.FlattenSentinel):
            new += [part for part in result if not _is_emptied(each, part)]
        elif not isinstance(result, cst.RemovalSentinel) and not _is_emptied(each, result):
            new.append(result)
    is_same = len(new) == len(old) and all(one is other for one, other in zip(new, old, strict=True))
    return old if is_same else new


def _is_emptied(old: cst.CSTNode, new: cst.CSTNode) -> bool:
    return (
        isinstance(new, cst.SimpleStatementLine)
        and not new.body
        and not (isinstance(old, cst.SimpleStatementLine) and not old.body)
    )
