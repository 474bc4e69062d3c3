"""Branches that make a Trainer with arguments that only Lightning 1 has, at which Lightning 2 stops."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ...lightning import lightning_1
from ...lightning.api import PACKAGES
from ...source.hydra import INSTANTIATING
from ..configuration.evaluation import Evaluation, NotEvaluated
from ..configuration.held import TARGET, Node, Setting
from ..configuration.hydra_main import dotted
from ..modules.graph import Graph
from .given import Branch


@dataclass(frozen=True)
class OldTrainers:
    """Looks for calls that make one: of Lightning's class, or of `instantiate` with a part of the configuration."""

    graph: Graph

    def may_be_made_in(self, branch: Branch) -> bool:
        """Whether something is given such an argument there that may be a Trainer."""
        return any(self._calls(branch))

    def argument(self, branch: Branch, settings: dict[str, Node]) -> str:
        """Such an argument of one; empty: none has any."""
        return next((name for call, name in self._calls(branch) if self._is_made(branch, call, settings)), "")

    def _calls(self, branch: Branch) -> Iterator[tuple[ast.Call, str]]:
        for call in (each for part in branch.body for each in ast.walk(part) if isinstance(each, ast.Call)):
            name = next(
                (each.arg for each in call.keywords if each.arg in lightning_1.TRAINER_ARGUMENTS), None
            )
            if name:
                yield call, name

    def _is_made(self, branch: Branch, call: ast.Call, settings: dict[str, Node]) -> bool:
        called = dotted(self.graph, branch.function.module, call.func)
        if called not in INSTANTIATING:
            return _is_trainer(called)
        part = self._part(branch, call.args[0], settings) if call.args else None
        target = part.get(TARGET) if isinstance(part, dict) else None
        return isinstance(target, Setting) and _is_trainer(str(target.value))

    def _part(self, branch: Branch, node: ast.expr, settings: dict[str, Node]) -> object:
        function = branch.function
        try:
            return Evaluation(self.graph).value(function.module, node, {function.parameter: settings})
        except NotEvaluated:
            return None


def _is_trainer(name: str) -> bool:
    return name.partition(".")[0] in PACKAGES and name.endswith(".Trainer")
