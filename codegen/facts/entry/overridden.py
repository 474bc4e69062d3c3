"""Defaults of parameters in whose place a configuration gives a value, as it is when building.

A command line may leave the value out, so that the default is among what the parameter may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from ...ir.project import Project
from ...values import values_of


def overridden_defaults(project: Project) -> frozenset[cst.CSTNode]:
    """The expressions of those that no call would use."""
    return frozenset(_Overridden(project).defaults()) if project.configuration else frozenset()


@dataclass(frozen=True)
class _Overridden:
    project: Project
    asked: set[tuple[cst.FunctionDef, str]] = field(default_factory=set)

    def defaults(self) -> Iterator[cst.CSTNode]:
        for function in self.project.index.of_kind(cst.FunctionDef):
            for each in (*function.params.params, *function.params.kwonly_params):
                if each.default is not None and self._is_given(function, each.name.value):
                    yield each.default

    def _is_given(self, function: cst.FunctionDef, name: str) -> bool:
        """Whether all calls of a function give an argument; that is open where it would give itself one."""
        if (function, name) in self.asked:
            return False
        self.asked.add((function, name))
        calls = values_of(self.project).places.of_callers.get(function, [])
        found = bool(calls) and all(isinstance(call, cst.Call) and self._gives(call, name) for call in calls)
        self.asked.remove((function, name))
        return found

    def _gives(self, call: cst.Call, name: str) -> bool:
        named = any(argument.keyword and argument.keyword.value == name for argument in call.args)
        unpacked = (argument.value for argument in call.args if argument.star == "**")
        return named or any(self._has(mapping, name) for mapping in unpacked)

    def _has(self, mapping: cst.BaseExpression, name: str) -> bool:
        """Whether a mapping has it in a configuration, or in what a function is given beside its parameters."""
        if isinstance(mapping, cst.Dict):
            keys = (each.key for each in mapping.elements if isinstance(each, cst.DictElement))
            return any(isinstance(key, cst.SimpleString) and key.evaluated_value == name for key in keys)
        variable = self.project.index.variable(mapping) if isinstance(mapping, cst.Name) else None
        (bound,) = variable.bindings if variable and len(variable.bindings) == 1 else (None,)
        function = self.project.index.function_of(bound.node) if bound else None
        is_rest = bound and function and function.params.star_kwarg is bound.by
        if not (is_rest and variable and function and all(map(self._is_unpacked, variable.uses))):
            return False
        return self._is_given(function, name)

    def _is_unpacked(self, use: cst.Name) -> bool:
        above = self.project.index.parent(use)
        return isinstance(above, cst.Arg) and above.star == "**"
