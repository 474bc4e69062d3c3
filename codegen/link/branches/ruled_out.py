"""Branches that cannot be followed, and that the configuration rules out as it is composed: the script stops there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Load
from ...source.source_text import first_line
from ..cli.parser import place_of
from ..configuration.evaluation import Evaluation, NotEvaluated, Variables
from ..configuration.held import Node, NotHeld
from ..configuration.hydra_main import HydraMain, composed_for, hydra_mains
from ..modules.graph import Graph
from ..modules.module import Module
from ..stored.store import store_of
from ..trainers.edits import Edit, edited, over
from .given import Branch, branches, functions_given
from .old_trainers import OldTrainers
from .rewriting import Rewriting

LONGEST = 60
"""A longer test is not written out whole."""


@dataclass(frozen=True)
class RuledOut:
    """The texts of modules in which such branches end the run, and what is said of these."""

    texts: Mapping[Path, str] = field(default_factory=dict)
    said: tuple[Diagnostic, ...] = ()


def ruled_out(graph: Graph, overrides: tuple[str, ...], loads: Iterable[Load]) -> RuledOut:
    """Those of all modules of the project's."""
    mains = hydra_mains(graph)
    unfollowed = [*_unfollowed(graph, mains)]
    settings = _composed(graph, mains, overrides, loads) if unfollowed else None
    if settings is None:
        return RuledOut()
    edits, said = dict[Module, list[Edit]](), list[Diagnostic]()
    for branch in _outermost(each for each in unfollowed if _is_ruled_out(graph, each, settings)):
        module = branch.function.module
        edits.setdefault(module, []).append(_stopping(branch))
        said.append(_said_of(graph, branch, settings))
    texts = {module.place.path.resolve(): edited(module.text, each) for module, each in edits.items()}
    return RuledOut(texts, tuple(said))


def _unfollowed(graph: Graph, mains: list[HydraMain]) -> Iterator[Branch]:
    """Those that rewrite the configuration, or may make a Trainer that Lightning 2 has not."""
    rewriting, old = Rewriting(graph), OldTrainers(graph)
    for function in functions_given(graph, mains):
        for branch in branches(function):
            if old.may_be_made_in(branch) or rewriting.is_done_by(branch):
                yield branch


def _said_of(graph: Graph, branch: Branch, settings: dict[str, Node]) -> Diagnostic:
    place, condition = place_of(branch.function.module, branch.test), _condition(branch)
    if name := OldTrainers(graph).argument(branch, settings):
        return messages.old_trainer_ruled_out(place, condition, name)
    return messages.branch_ruled_out(place, condition)


def _composed(
    graph: Graph, mains: list[HydraMain], overrides: tuple[str, ...], loads: Iterable[Load]
) -> dict[str, Node] | None:
    try:
        return composed_for(graph, mains, overrides, loads, store_of(graph)).settings
    except NotHeld:  # who needs it says why
        return None


def _is_ruled_out(graph: Graph, branch: Branch, settings: dict[str, Node]) -> bool:
    function = branch.function
    if not (OldTrainers(graph).argument(branch, settings) or Rewriting(graph).is_done_by(branch)):
        return False
    try:
        given: Variables = {function.parameter: settings}
        return Evaluation(graph).holds(function.module, branch.test, given) is not branch.holds
    except NotEvaluated:
        return False


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
