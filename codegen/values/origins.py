"""Where values come from: the expressions that make what another one may be."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from .abstract import Value
from .solver import Cell


@dataclass(frozen=True)
class Origin:
    """An expression, or a function that returns nothing, with those of its values that no other one gives it."""

    node: cst.CSTNode
    values: tuple[Value, ...]


def origins(cell: Cell, node: cst.CSTNode) -> list[Origin]:
    """Where the values in the cell of an expression were made: names, calls of functions and the like only pass on."""
    found: dict[cst.CSTNode, list[Value]] = {}
    waiting, seen = [(cell, node)], set[Cell]()
    while waiting:
        at, nearest = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        nearest = at.node or nearest
        if own := [value for value in at.values if not any(value in each.values for each in at.sources)]:
            found.setdefault(nearest, []).extend(own)
        waiting += [(each, nearest) for each in reversed(at.sources)]
    return [Origin(each, tuple(values)) for each, values in found.items()]
