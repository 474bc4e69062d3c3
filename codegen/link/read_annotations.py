"""Annotations that code reads when it runs, where some of the modules have them evaluated, and others do not.

A script has one `from __future__ import annotations` for all, or none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .. import messages
from ..diagnostics import Diagnostic
from .modules.module import Chunk, Module

ASKED = {"fields": "type", "signature": "annotation", "getfullargspec": "annotations"}
"""What code that calls these functions asks their values for."""

HELD = "__annotations__"


def annotations_read(chunks: Iterable[tuple[Module, Chunk]]) -> Iterator[Diagnostic]:
    """Where code of a module that has them evaluated reads annotations, which are texts in the script."""
    reached = [*chunks]
    for postponing in [module for module, _ in reached if module.postpones_annotations][:1]:
        for module, chunk in reached:
            if not module.postpones_annotations and (node := _reading(chunk)):
                end = node.end_lineno or node.lineno, node.end_col_offset or 0
                place = module.shown_place((node.lineno, node.col_offset), end)
                yield messages.annotations_read(place, postponing.path)


def _reading(chunk: Chunk) -> ast.Attribute | None:
    """What reads the annotations of fields, of parameters or of a class."""
    nodes = [part for node in chunk.nodes for part in ast.walk(node)]
    called = {ast.unparse(node.func).rpartition(".")[2] for node in nodes if isinstance(node, ast.Call)}
    asked = {HELD, *(ASKED[name] for name in called & ASKED.keys())}
    return next((node for node in nodes if isinstance(node, ast.Attribute) and node.attr in asked), None)
