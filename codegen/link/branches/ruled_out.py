"""Branches that a script cannot have, and that the configuration rules out as it is known: the script stops there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Load
from ...source.source_text import first_line
from ..cli.parser import place_of
from ..configuration.composed import TOP
from ..configuration.evaluation import BUILTIN, CONFIGURED, MAPPINGS, Evaluation, NotEvaluated
from ..configuration.held import Node, NotHeld
from ..configuration.hydra_main import DECORATOR, HydraMain, composed_for, hydra_mains
from ..configuration.loaded import loaded
from ..modules.graph import Graph
from ..modules.module import Module
from ..stored.store import store_of
from ..trainers.edits import Edit, edited, over
from .given import Branch, branches, functions_given
from .old_trainers import OldTrainers
from .refused import Refused, variables
from .rewriting import Rewriting

LONGEST = 60
"""A longer test is not written out whole."""


@dataclass(frozen=True)
class RuledOut:
    """The texts of modules in which such branches end the run, and what is said of these."""

    texts: Mapping[Path, str] = field(default_factory=dict)
    said: tuple[Diagnostic, ...] = ()


def ruled_out(
    graph: Graph, overrides: tuple[str, ...], loads: Iterable[Load], errors: tuple[Diagnostic, ...] = ()
) -> RuledOut:
    """Those of all modules of the project's; `errors` are why a build was refused that had them."""
    ruling = _Ruling(graph, overrides, tuple(loads), errors)
    edits, said = dict[Module, list[Edit]](), list[Diagnostic]()
    for branch in _outermost(filter(ruling.rules_out, ruling.unfollowed())):
        module = branch.function.module
        edits.setdefault(module, []).append(_stopping(branch))
        said.append(ruling.said_of(branch))
    texts = {module.place.path.resolve(): edited(module.text, each) for module, each in edits.items()}
    return RuledOut(texts, tuple(said))


@dataclass(frozen=True)
class _Ruling:
    """Asks what is known of configurations for branches that a script cannot have."""

    graph: Graph
    overrides: tuple[str, ...]
    loads: tuple[Load, ...]
    errors: tuple[Diagnostic, ...]

    @cached_property
    def mains(self) -> list[HydraMain]:
        return hydra_mains(self.graph)

    @cached_property
    def rewriting(self) -> Rewriting:
        return Rewriting(self.graph)

    @cached_property
    def old(self) -> OldTrainers:
        return OldTrainers(self.graph)

    @cached_property
    def refused(self) -> Refused:
        loads = [each for each in self.loads if each.by != DECORATOR] if self.errors else []
        return Refused(self.errors, tuple(functions_given(self.graph, self.mains, loads)))

    def unfollowed(self) -> Iterator[Branch]:
        """Those that rewrite the configuration, make a Trainer that Lightning 2 has not, or were refused."""
        for branch in (each for function in self.refused.functions for each in branches(function)):
            is_of_main = branch.function.load is None
            is_old = is_of_main and (self.old.may_be_made_in(branch) or self.rewriting.is_done_by(branch))
            if is_old or self.refused.codes(branch):
                yield branch

    def rules_out(self, branch: Branch) -> bool:
        """Whether the configuration does."""
        function, settings = branch.function, self.settings(branch.function.load)
        if settings is None or not self._stops(branch, settings):
            return False
        load = function.load
        is_omegaconfs = load is None or load.by not in ("yaml", "json")
        kinds = MAPPINGS - (BUILTIN if is_omegaconfs else CONFIGURED)
        evaluation = Evaluation(self.graph, mappings=kinds, knows_objects=False)
        known = variables(evaluation, function, {function.parameter: deepcopy(settings)})
        try:
            return evaluation.holds(function.module, branch.test, known) is not branch.holds
        except NotEvaluated:
            return False

    def _stops(self, branch: Branch, settings: dict[str, Node]) -> bool:
        """Whether the build would, for what is in a branch."""
        is_refused = bool(self.refused.codes(branch))
        return is_refused or bool(self.old.argument(branch, settings)) or self.rewriting.is_done_by(branch)

    def said_of(self, branch: Branch) -> Diagnostic:
        place, condition = place_of(branch.function.module, branch.test), _condition(branch)
        if name := self.old.argument(branch, self.settings(branch.function.load) or {}):
            return messages.old_trainer_ruled_out(place, condition, name)
        return messages.branch_ruled_out(place, condition, self.refused.codes(branch))

    def settings(self, load: Load | None) -> dict[str, Node] | None:
        """What a configuration holds; None: it is not known, of which who needs it says why."""
        if load not in self._settings:
            store = store_of(self.graph)
            with suppress(NotHeld):
                self._settings[load] = (
                    loaded(load, TOP, self.graph.roots.folder, store)
                    if load
                    else composed_for(self.graph, self.mains, self.overrides, self.loads, store)
                ).settings
        return self._settings.setdefault(load, None)

    @cached_property
    def _settings(self) -> dict[Load | None, dict[str, Node] | None]:
        return {}


def _outermost(found: Iterable[Branch]) -> Iterator[Branch]:
    """Those that stand in no other one."""
    seen = set[ast.AST]()
    for branch in found:
        if branch.body[0] not in seen:
            seen.update(inner for each in branch.body for inner in ast.walk(each))
            yield branch


def _stopping(branch: Branch) -> Edit:
    """What ends the run, in the place of the branch."""
    first, last = branch.body[0], over(branch.body[-1])
    said = f"this script was not built for a configuration {_condition(branch)}: "
    how = "build it again, with the same arguments, `ddpgen build ... -- ...`"
    code = f"raise SystemExit({said!r} {how!r})"
    return Edit(first_line(first), first.col_offset, last.end_line, last.end_column, code)


def _condition(branch: Branch) -> str:
    test = ast.unparse(branch.test)
    shown = test if len(test) <= LONGEST else f"{test[:LONGEST]}..."
    return f"{'with' if branch.holds else 'without'} `{shown}`"
