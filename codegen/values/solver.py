"""Cells of values, inclusions between them, and the worklist that carries new values on to a fixed point."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import libcst as cst

from .abstract import Unknown, Value

LIMIT = 128
"""So many values may stand in one place; more are unknown."""

LATE_LIMIT = 16
"""The same once much has been carried on, so that what grows as the square of the code does not take minutes."""

EARLY = 500_000
"""So many values are carried on before."""

REASONS = 8
"""For so many reasons a place is told to be unknown; more say nothing new of it."""

Watcher = Callable[[Value], None]


class Cell:
    """The values that one place may hold, and where they go on to."""

    __slots__ = ("is_full", "new", "node", "reasons", "sources", "targets", "values", "watchers")

    def __init__(self, node: cst.CSTNode | None = None) -> None:
        self.node = node  # the expression whose cell it is
        self.values: dict[Value, None] = {}
        self.new: list[Value] = []  # those that have not gone on yet
        self.targets: dict[Cell, None] = {}
        self.sources: list[Cell] = []
        self.watchers: list[Watcher] = []
        self.is_full = False
        self.reasons = 0  # for which it is unknown


class Solver:
    """Inclusion constraints, solved by carrying on what is new (difference propagation)."""

    def __init__(self, overflow: Watcher) -> None:
        self._waiting: deque[Cell] = deque()
        self._overflow = overflow  # takes what a full cell drops
        self._limit, self._left = LIMIT, EARLY

    def add(self, cell: Cell, value: Value) -> None:
        """A value that may stand in the cell."""
        if value in cell.values:
            return
        if isinstance(value, Unknown):
            if cell.reasons >= REASONS:
                return
            cell.reasons += 1
        if len(cell.values) >= self._limit:
            self._overflow(value)
            if cell.is_full:
                return
            cell.is_full = True
            value = Unknown(f"more than {self._limit} things may stand here", None)
        cell.values[value] = None
        self._left -= 1
        if not self._left:
            self._limit = LATE_LIMIT
        if not cell.new:
            self._waiting.append(cell)
        cell.new.append(value)

    def flow(self, source: Cell, target: Cell) -> None:
        """Whatever is in one cell is in the other."""
        if source is target or target in source.targets:
            return
        source.targets[target] = None
        target.sources.append(source)
        for value in list(source.values):
            self.add(target, value)

    def watch(self, cell: Cell, watcher: Watcher) -> None:
        """Call `watcher` once with each value that the cell holds, now or later."""
        waiting = set(cell.new)
        cell.watchers.append(watcher)
        for value in [value for value in cell.values if value not in waiting]:
            watcher(value)

    def solve(self) -> None:
        """Carry on until nothing is new."""
        while self._waiting:
            cell = self._waiting.popleft()
            new, cell.new = cell.new, []
            for target in list(cell.targets):
                for value in new:
                    self.add(target, value)
            for watcher in list(cell.watchers):
                for value in new:
                    watcher(value)
