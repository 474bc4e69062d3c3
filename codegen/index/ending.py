"""Where code surely ends."""

from __future__ import annotations

import libcst as cst

from . import patterns as m

OF_FILES = m.Name("io") | m.Name("codecs") | m.Name("gzip") | m.Call(func=m.Name("Path"))

FILE = m.Call(func=m.Name("open") | m.Attribute(OF_FILES, m.Name("open")))
"""What opens a file, which lets all errors pass, as other context managers need not."""


def ends(block: cst.CSTNode) -> bool:
    """Whether the code behind a block is surely not reached by way of it."""
    if isinstance(block, cst.IndentedBlock | cst.SimpleStatementSuite | cst.SimpleStatementLine):
        return any(ends(each) for each in block.body)
    if isinstance(block, cst.Return | cst.Raise):
        return True
    if isinstance(block, cst.If):
        return block.orelse is not None and ends(block.body) and ends(block.orelse)
    if isinstance(block, cst.Else | cst.Finally):
        return ends(block.body)
    if isinstance(block, cst.With):
        return all(m.matches(each.item, FILE) for each in block.items) and ends(block.body)
    if isinstance(block, cst.Try):
        handled = all(ends(each.body) for each in block.handlers)
        tried = ends(block.body) or (block.orelse is not None and ends(block.orelse))
        return (tried and handled) or (block.finalbody is not None and ends(block.finalbody))
    return False
