"""Annotations that code reads when it runs, where some of the modules have them evaluated, and others do not.

A script has one `from __future__ import annotations` for all, or none: then what it would postpone stands in quotes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..source.execution import evaluated
from .modules.module import Chunk, Module

ASKED = {"fields": "type", "signature": "annotation", "getfullargspec": "annotations"}
"""What code that calls these functions asks their values for."""

HELD = "__annotations__"
GIVES = "get_annotations"


def annotations_differ(chunks: Iterable[tuple[Module, Chunk]]) -> bool:
    """Whether code reads annotations, of which some are texts and others are not."""
    reached = [*chunks]
    if len({module.postpones_annotations for module, _ in reached}) < 2:
        return False
    others = (node for module, chunk in reached if not module.postpones_annotations for node in chunk.nodes)
    has_evaluated = any(True for _ in evaluated(ast.Module([*others], [])))
    return has_evaluated and _are_read([node for _, chunk in reached for node in chunk.nodes])


def _are_read(statements: Iterable[ast.stmt]) -> bool:
    """Whether the annotations of fields, of parameters or of a class are."""
    nodes = [part for node in statements for part in ast.walk(node)]
    called = {ast.unparse(node.func).rpartition(".")[2] for node in nodes if isinstance(node, ast.Call)}
    asked = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    asked |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return GIVES in called or not asked.isdisjoint({HELD, *(ASKED[each] for each in called & ASKED.keys())})
