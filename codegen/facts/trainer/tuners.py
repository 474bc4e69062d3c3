"""Lightning's Tuner, which tries learning rates or batch sizes before training: the script does without."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project
from ...lightning.api import TUNING_CALLBACKS
from ...values import Instance, values_of
from ..entry.entry import IS_MAIN_GUARD

DOES = {
    "lr_find": TUNING_CALLBACKS["LearningRateFinder"],
    "scale_batch_size": TUNING_CALLBACKS["BatchSizeFinder"],
}
"""What its methods do."""

WHY = "this script has no Tuner: run it with Lightning once, and set what it finds"


@dataclass
class Tuners:
    """Where some statements make them, and what they have them do."""

    project: Project
    nodes: Collection[cst.CSTNode]
    functions: list[cst.CSTNode] = field(default_factory=list)  # names that are translated
    stopping: dict[cst.Call, str] = field(
        default_factory=dict
    )  # calls in branches: they end the run, and why
    left_out: list[tuple[cst.Call, str]] = field(
        default_factory=list
    )  # the others, with what takes their place
    said: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values, self.index = values_of(self.project), self.project.index
        for call in self._calls("Tuner"):
            self.functions.append(call.func)
            self._replace(call, "None")
        for method, does in DOES.items():
            for call in self._calls(f"Tuner.{method}"):
                self._leave_out(call, method, does)

    def _calls(self, name: str) -> Iterator[cst.Call]:
        for call in self.values.calls_of(name):
            if any(self.index.holds(node, call) for node in self.nodes):
                yield call

    def _leave_out(self, call: cst.Call, method: str, does: str) -> None:
        """Warn of it; where what comes of it is used in any case, it is an error."""
        if not self._is_optional(call) and not isinstance(self.index.parent(call), cst.Expr):
            self.said.append(messages.tuned_value_used((self.project.source, call), method))
            return
        owners = self.values.of(cst.ensure_type(call.func, cst.Attribute).value)
        if not any(isinstance(each, Instance) and each.node in self.stopping for each in owners):
            self._replace(call, "...")
        if self._is_optional(call):
            self.said.append(messages.tuner_stops((self.project.source, call), method, does))
            return
        span = self.project.source.span(call)
        self.said.append(messages.tuner_left_out((span, self.project.source.line_of(span)), method, does))

    def _replace(self, call: cst.Call, code: str) -> None:
        if self._is_optional(call):
            self.stopping[call] = WHY
        else:
            self.left_out.append((call, code))

    def _is_optional(self, call: cst.Call, within: frozenset[cst.CSTNode] = frozenset()) -> bool:
        """Whether it stands in a branch that does not train, or in a function that is called in such ones alone."""
        if any(not self._trains(branch) for branch in self._branches(call)):
            return True
        function = self.index.function_of(call)
        if function is None or function in within:
            return False
        runs = self.index.of_kind(cst.Call)
        calls = [each for each in runs if any(run.node is function for run in self.values.runs(each))]
        return bool(calls) and all(self._is_optional(each, within | {function}) for each in calls)

    def _branches(self, call: cst.Call) -> Iterator[cst.CSTNode]:
        branch = self.index.ancestor(call, cst.If, cst.IfExp)
        while branch is not None:
            yield branch
            branch = self.index.ancestor(branch, cst.If, cst.IfExp)

    def _trains(self, branch: cst.CSTNode) -> bool:
        """Whether a model is trained there too, or all of the main stands there."""
        if m.matches(branch, IS_MAIN_GUARD):
            return True
        return any(self.index.holds(branch, each) for each in self.values.calls_of("Trainer.fit"))
