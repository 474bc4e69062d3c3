"""Where functions run, by the functions in whose code that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import libcst as cst

from ..index import Index
from .abstract import Function

Code = cst.FunctionDef | cst.Lambda


class Places:
    """Asks at which places of which functions others run."""

    def __init__(self, index: Index, runs: Mapping[cst.CSTNode, Iterable[Function]]) -> None:
        self.index = index
        self._runs = runs
        self._outermost: dict[cst.CSTNode, cst.FunctionDef | None] = {}

    @cached_property
    def of_callers(self) -> dict[cst.CSTNode, list[cst.CSTNode]]:
        """The places at which each function runs."""
        found: dict[cst.CSTNode, list[cst.CSTNode]] = {}
        for place, functions in self._runs.items():
            for each in functions:
                found.setdefault(each.node, []).append(place)
        return found

    @cached_property
    def within(self) -> dict[cst.CSTNode, list[cst.CSTNode]]:
        """Where functions run or objects are made, by the outermost function that it stands in."""
        found: dict[cst.CSTNode, list[cst.CSTNode]] = {}
        for node in dict.fromkeys((*self._runs, *self.index.of_kind(cst.Call))):
            if node in self.index and (function := self.outermost(node)):
                found.setdefault(function, []).append(node)
        return found

    def innermost(self, node: cst.CSTNode) -> Code | None:
        """The function that a place stands in, with or without a name."""
        found = self.index.ancestor(node, cst.FunctionDef, cst.Lambda)
        return found if isinstance(found, cst.FunctionDef | cst.Lambda) else None

    def outermost(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The method, or the function in no other one, whose code it is part of, or which it is."""
        function = node if isinstance(node, cst.FunctionDef) else self.index.function_of(node)
        if function is None:
            return None
        if function not in self._outermost:
            self._outermost[function] = self._around(function)
        return self._outermost[function]

    def _around(self, function: cst.FunctionDef) -> cst.FunctionDef | None:
        outer = None if self.index.scope_of(function).kind == "class" else self.index.function_of(function)
        return function if outer is None else self.outermost(outer)
