"""What code assigns to, in whichever statement."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .index import Index

PARTS = (cst.Element, cst.StarredElement, cst.Tuple, cst.List)
"""What a target may be part of."""

HOLDERS = cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.NamedExpr, cst.For, cst.CompFor, cst.Del
"""What has a `target`."""

ASSIGNING: tuple[type[cst.Assign | cst.AnnAssign | cst.NamedExpr], ...] = (
    cst.Assign,
    cst.AnnAssign,
    cst.NamedExpr,
)


def is_target(index: Index, node: cst.CSTNode) -> bool:
    """Whether an expression is assigned to, or deleted, alone or with others."""
    above = index.parent(node)
    if isinstance(above, PARTS):
        return is_target(index, above)
    if isinstance(above, HOLDERS):
        return above.target is node
    return isinstance(above, cst.AsName) and above.name is node


def attributes_set(index: Index, node: cst.CSTNode) -> Iterator[cst.Attribute]:
    """The attributes in `node` that are assigned to, or deleted."""
    yield from (each for each in index.within(node, cst.Attribute) if is_target(index, each))


def assignments(
    index: Index, node: cst.CSTNode
) -> Iterator[tuple[tuple[cst.BaseExpression, ...], cst.BaseExpression]]:
    """The targets and the value of each assignment in `node`, with a type and within expressions too."""
    for each in index.within(node, *ASSIGNING):
        targets = (
            tuple(part.target for part in each.targets) if isinstance(each, cst.Assign) else (each.target,)
        )
        if each.value is not None:
            yield targets, each.value
