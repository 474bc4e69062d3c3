"""Visits to the nodes of a syntax tree that hold code: libcst's go to each comma and space, and make all nodes anew."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar, cast

import libcst as cst

from .children import fields, is_node

Node = TypeVar("Node", bound=cst.CSTNode)
Visitor = cst.CSTTransformer | cst.CSTVisitor


def rewritten(node: Node, transformer: cst.CSTTransformer) -> Node:
    """The tree as the transformer leaves it; what it does not change stays the very same nodes."""
    return cast(Node, _visited(node, transformer))


def with_fields(node: Node, **fields: object) -> Node:
    """The node with other values of its fields; the very same node where those are its own."""
    is_same = all(getattr(node, name) is value for name, value in fields.items())
    return node if is_same else node.with_changes(**fields)


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
        if is_node(value.__class__):
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
    is_same = True
    for each in old:
        result = _visited(each, visitor)
        if result is each:
            new.append(each)
            continue
        is_same = False
        if isinstance(result, cst.FlattenSentinel):
            new += [part for part in result if not _is_emptied(each, part)]
        elif not isinstance(result, cst.RemovalSentinel) and not _is_emptied(each, result):
            new.append(result)
    return old if is_same else new


def _is_emptied(old: cst.CSTNode, new: cst.CSTNode) -> bool:
    return (
        isinstance(new, cst.SimpleStatementLine)
        and not new.body
        and not (isinstance(old, cst.SimpleStatementLine) and not old.body)
    )
