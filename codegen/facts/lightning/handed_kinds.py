"""Classes of Lightning's that functions of the user's are given, and that these but ask values for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...ir.project import Project, Statement
from ...values import External, Function, Instance, Value, values_of
from ..code.conditions import IS_NONE

TRAINER = "Trainer"
KINDS = frozenset({"LightningModule", "LightningDataModule", TRAINER})

PLAIN = m.Arg(star="")
ASKS = m.Call(m.Name("isinstance"), [PLAIN, PLAIN])
TEXTS = cst.Assert, cst.Raise
"""Where a class may be named in the text of an error."""


def handed_kinds(
    project: Project, statements: Iterable[Statement]
) -> Iterator[tuple[cst.BaseExpression, str]]:
    """Where they are given, and which they are: of all values that are asked it is known what they are."""
    calls = (call for each in statements for call in project.index.within(each.node, cst.Call))
    for call in calls:
        for argument in call.args:
            kind = project.lightning_name(argument.value)
            if kind in KINDS and not argument.star and _Handed(project, call, argument, kind).is_followed:
                yield argument.value, kind


@dataclass(frozen=True)
class _Handed:
    project: Project
    call: cst.Call
    argument: cst.Arg
    kind: str

    @property
    def is_followed(self) -> bool:
        called = [*values_of(self.project).callees(self.call)]
        return bool(called) and all(isinstance(each, Function) and self._is_asked(each) for each in called)

    def _is_asked(self, function: Function) -> bool:
        """Whether a function asks no more of it than whether values are of the kind."""
        parameter = self._parameter(function.node)
        variable = self.project.index.variable(parameter.name) if parameter else None
        if variable is None or len(variable.bindings) != 1:
            return False
        uses = (each for each in variable.uses if parameter is None or each is not parameter.name)
        return all(self._is_known(each) or _is_idle(self.project.index, each) for each in uses)

    def _parameter(self, function: cst.FunctionDef | cst.Lambda) -> cst.Param | None:
        """The one that gets it; None: it is not known which does."""
        given = self.call.args[: self.call.args.index(self.argument) + 1]
        if any(each.star for each in given):
            return None
        parameters = [*function.params.posonly_params, *function.params.params]
        if keyword := self.argument.keyword:
            named = [*parameters, *function.params.kwonly_params]
            return next((each for each in named if each.name.value == keyword.value), None)
        return parameters[len(given) - 1] if len(given) <= len(parameters) else None

    def _is_known(self, use: cst.Name) -> bool:
        """Whether it is asked for there, and of each value that is asked the answer is known."""
        index, values = self.project.index, values_of(self.project)
        parent = index.parent(use)
        call = index.parent(parent) if isinstance(parent, cst.Arg) else None
        if not (isinstance(call, cst.Call) and m.matches(call, ASKS) and call.args[1].value is use):
            return False
        found = values.of(call.args[0].value)
        return bool(found) and all(self._is_sure(each) for each in found)

    def _is_sure(self, value: Value) -> bool:
        cls = value.cls if isinstance(value, Instance) else None
        if isinstance(cls, External) and cls.lightning == TRAINER:
            return True
        return values_of(self.project).is_of_kind(value, self.kind) is not None


def _is_idle(index: Index, use: cst.Name) -> bool:
    """Whether it is asked whether there is one, or named in an error."""
    parent = index.parent(use)
    if isinstance(parent, cst.Comparison) and m.matches(parent, IS_NONE):
        return parent.left is use
    return isinstance(parent, cst.FormattedStringExpression) and index.ancestor(use, *TEXTS) is not None
