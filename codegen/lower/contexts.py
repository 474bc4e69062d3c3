"""`with` statements without the contexts that a script has nothing for."""

from __future__ import annotations

from collections.abc import Container

import libcst as cst


def without_idle_contexts(
    original: cst.With, updated: cst.With, idle: Container[cst.CSTNode]
) -> cst.With | cst.FlattenSentinel[cst.BaseStatement]:
    """The statement with those contexts that are left; the statements in it, where none is."""
    pairs = zip(original.items, updated.items, strict=True)
    kept = [item for before, item in pairs if before.item not in idle]
    if len(kept) == len(updated.items):
        return updated
    if not kept:
        return cst.FlattenSentinel(_inner(updated))
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return updated.with_changes(items=kept)


def _inner(node: cst.With) -> list[cst.BaseStatement]:
    """The statements in it, with the comments that stand above."""
    body = node.body
    if isinstance(body, cst.SimpleStatementSuite):
        line = cst.SimpleStatementLine(body.body, trailing_whitespace=body.trailing_whitespace)
        return [line.with_changes(leading_lines=node.leading_lines)]
    block = cst.ensure_type(body, cst.IndentedBlock)
    header = [cst.EmptyLine(comment=block.header.comment)] if block.header.comment else []
    if not block.body:
        return []
    first, *rest = block.body
    assert isinstance(first, cst.SimpleStatementLine | cst.BaseCompoundStatement)
    above = [*node.leading_lines, *header, *first.leading_lines]
    return [first.with_changes(leading_lines=above), *rest]
