"""What the script is for a model and a data module, and for which others it would be the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

import libcst as cst

from .diagnostics import CompileError, Diagnostic
from .facts.callbacks.callbacks import LightningClasses, callback_facts, with_classes
from .facts.callbacks.internals import check_internals
from .facts.callbacks.usage import check_callbacks
from .facts.facts import Facts
from .facts.gather import Gatherer
from .facts.lightning.unsupported import check_asked_of_data
from .facts.main import candidates
from .facts.main import rewrites as own_rewrites
from .facts.main.own_main import OwnMain
from .facts.members import called_hooks
from .facts.trainer.spec_trainer import trainer_rewrites
from .features.decide import decide
from .ir.project import Class, Kind, Project, Statement
from .ir.rewrites import Rewrites
from .ir.script import Script
from .ir.served import Served
from .spec.load import LoadedSpec


@dataclass(frozen=True)
class Plan:
    """A script with every decision made, what these follow from, and what is rewritten for it."""

    facts: Facts
    script: Script
    rewrites: Rewrites
    told: tuple[Diagnostic, ...]  # what the user should know of it

    def is_same(self, other: Plan) -> bool:
        return (self.script, self.rewrites) == (other.script, other.rewrites)


@dataclass(frozen=True)
class Planner:
    """Plans scripts, from what is read of a project whatever it trains."""

    project: Project
    loaded: LoadedSpec
    own: OwnMain | None
    statements: tuple[Statement, ...]
    found: LightningClasses
    trainers: Iterable[cst.Call]
    script_name: str

    def plan(
        self, model: Class, data: Class | None, served: Served, found_before: Iterable[Diagnostic] = ()
    ) -> Plan:
        """The script for these two. Raises CompileError with all problems, those `found_before` included."""
        problems, notes = list(found_before), list[Diagnostic]()
        project, own = self.project, self.own
        asks = own is not None and "callbacks" in own.attributes
        callbacks = callback_facts(project, self.statements, self.found, model, self.trainers, asks)
        problems += check_callbacks(project, callbacks, called_hooks(own))
        problems += check_internals(project, self.statements)
        problems += check_asked_of_data(project, self.statements)
        uncertain = candidates.uncertain(project, self.statements, own, served) if own else {}
        facts = Gatherer(
            project, self.loaded, model, data, own, callbacks, served, problems, notes, uncertain
        ).facts()
        if facts is None:
            raise CompileError(problems)
        _refuse(problems)
        script = decide(facts, problems, self.script_name)
        _refuse(problems)
        rewrites = with_classes(_rewrites(facts, script), self.found, facts.callbacks)
        asked_of_parts = {**facts.usage.counterparts, **facts.data_usage.counterparts}
        asked_of_parts |= own.counterparts if own else {}
        asked = own_rewrites.counterpart_rewrites(asked_of_parts)
        timings = [
            (each, "None") for each in dict.fromkeys((*facts.usage.timings, *facts.data_usage.timings))
        ]
        rewrites = replace(rewrites, expressions=(*rewrites.expressions, *asked, *timings))
        return Plan(facts, script, rewrites, (*problems, *notes))

    def served(
        self, own: OwnMain, model: Class, data: Class | None, named: Mapping[Kind, str | None]
    ) -> tuple[Served, tuple[Diagnostic, ...]]:
        """These two, and what else the main may give: where nobody has named one, and if its script is the same.

        With what the user should know of the others.
        """
        models = self._given(own, "module", model, named)
        sources = self._given(own, "data", data, named) if data else ()
        if len(models) < 2 and len(sources) < 2:
            return Served(models, sources), ()
        plans = self._same(model, data, Served(models, sources))
        kept = tuple(each for each in models if each is model or (each, data) in plans)
        served = Served(
            kept,
            tuple(each for each in sources if each is data or all((other, each) in plans for other in kept)),
        )
        pairs = product(served.models, served.data or (None,))
        return served, tuple(each for pair in pairs if pair in plans for each in plans[pair].told)

    def _same(
        self, model: Class, data: Class | None, served: Served
    ) -> dict[tuple[Class, Class | None], Plan]:
        """The plans of all pairs that are those of the first."""
        plans = {
            pair: self._attempt(*pair, served) for pair in product(served.models, served.data or (None,))
        }
        chosen = plans[model, data]
        return {pair: plan for pair, plan in plans.items() if chosen and plan and plan.is_same(chosen)}

    def _given(
        self, own: OwnMain, kind: Kind, chosen: Class, named: Mapping[Kind, str | None]
    ) -> tuple[Class, ...]:
        """The class that is chosen, and those that may stand in its place."""
        others = candidates.given_classes(self.project, own, kind) if named[kind] is None else []
        return (chosen, *(each for each in others if each.name != chosen.name))

    def _attempt(self, model: Class, data: Class | None, served: Served) -> Plan | None:
        """The plan; None: something is wrong with it."""
        try:
            return self.plan(model, data, served)
        except CompileError:
            return None


def _refuse(problems: list[Diagnostic]) -> None:
    """Raises CompileError where something stands in a script's way."""
    if any(problem.severity == "error" for problem in problems):
        raise CompileError(problems)


def _rewrites(facts: Facts, script: Script) -> Rewrites:
    """What changes in a main of the user's own, or in the Trainer that the spec describes."""
    if facts.own_main is None:
        return Rewrites(trainer_rewrites(facts.project, facts.default_checkpoint))
    has_default = facts.given_loggers.has_default
    asked = facts.trainer_fields | ({"config"} if facts.has_trainer else set())
    return own_rewrites.rewrites(
        facts.project,
        facts.own_main,
        facts.loaded,
        script.config,
        asked,
        has_default,
        facts.evaluations,
        facts.stopping,
        "new_trainer" if script.tells_at_once else "Trainer",
        facts.default_checkpoint,
        facts.replaced_settings,
        facts.is_remote,
        facts.asks_for_workers,
    )
