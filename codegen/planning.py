"""What the script is for a model and a data module, and for which others it would be the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import libcst as cst

from .diagnostics import CompileError, Diagnostic
from .facts.callbacks.callbacks import LightningClasses, callback_facts, with_classes
from .facts.callbacks.internals import check_internals
from .facts.callbacks.usage import check_callbacks
from .facts.code.literals import code_of
from .facts.data.batch_samplers import keeping_classes
from .facts.entry.unattached import answered
from .facts.facts import Facts
from .facts.gather import Gatherer
from .facts.lightning.trainer_objects import strategies_asked
from .facts.lightning.unsupported import check_asked_of_data
from .facts.main import candidates
from .facts.main import rewrites as own_rewrites
from .facts.main.evaluations import Evaluation, of_all
from .facts.main.own_main import OwnMain
from .facts.members import called_hooks
from .facts.optimizers.wrapped import INSTEAD, kinds_asked, unwrapped, wrapped_ones
from .facts.strategy.unsynced import wrappers_asked
from .facts.trainer.spec_trainer import trainer_rewrites
from .facts.validation.replaced import ReplacedCheck
from .features.data.loaders import makes_loaders_anew
from .features.decide import decide
from .features.kinds import everyone, joined
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


@lru_cache(maxsize=4)
def _of_any_model(project: Project, statements: tuple[Statement, ...]) -> tuple[Diagnostic, ...]:
    """What is wrong whatever is trained."""
    return *check_internals(project, statements), *check_asked_of_data(project, statements)


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
    checks: tuple[ReplacedCheck, ...] = ()

    def plan(
        self, model: Class, data: Class | None, served: Served, found_before: Iterable[Diagnostic] = ()
    ) -> Plan:
        """The script for these two. Raises CompileError with all problems, those `found_before` included."""
        uncertain = self._uncertain(served)
        facts, script, told = self._decided(model, data, served, uncertain, found_before)
        rewrites = self._rewritten((facts,), script)
        return Plan(facts, script, rewrites[0], told)

    def _uncertain(self, served: Served) -> dict[str, tuple[str, ...]]:
        return candidates.uncertain(self.project, self.statements, self.own, served) if self.own else {}

    def _decided(
        self,
        model: Class,
        data: Class | None,
        served: Served,
        uncertain: Mapping[str, tuple[str, ...]],
        found_before: Iterable[Diagnostic] = (),
        company: tuple[Facts, ...] = (),
    ) -> tuple[Facts, Script, tuple[Diagnostic, ...]]:
        """What is known, what follows for the script, and what the user should know."""
        problems, notes = list(found_before), list[Diagnostic]()
        project, own = self.project, self.own
        asks = own is not None and "callbacks" in own.attributes
        asks |= any(each.callbacks.is_given for each in company)
        callbacks = callback_facts(project, self.statements, self.found, model, self.trainers, asks)
        problems += check_callbacks(project, callbacks, called_hooks(own))
        problems += _of_any_model(project, self.statements)
        facts = Gatherer(
            project=project,
            loaded=self.loaded,
            model=model,
            source=data,
            own=own,
            callbacks=callbacks,
            served=served,
            problems=problems,
            notes=notes,
            uncertain=uncertain,
            company=company,
            checks=self.checks,
        ).facts()
        if facts is None:
            raise CompileError(problems)
        _refuse(problems)
        script = decide(facts, problems, self.script_name)
        _refuse(problems)
        return facts, script, (*problems, *notes)

    def _rewritten(self, all_facts: tuple[Facts, ...], script: Script) -> list[Rewrites]:
        """What is rewritten for one script: one for all models, or several where they differ in this."""
        asked = frozenset[str]().union(*(_asked(facts) for facts in all_facts))
        evaluations = of_all(each for facts in all_facts for each in facts.evaluations)
        run = {call.node for each in evaluations for call in each.calls}
        stopping = {
            call: why for facts in all_facts for call, why in facts.stopping.items() if call not in run
        }
        found = [_rewrites(facts, script, asked, evaluations, stopping) for facts in all_facts]
        found = [
            with_classes(each, self.found, facts.callbacks)
            for each, facts in zip(found, all_facts, strict=True)
        ]
        parts = (
            *self._of_trainers(all_facts),
            *self._of_optimizers(all_facts),
            *self._of_properties(all_facts),
            *self._of_unattached(all_facts),
        )
        by_hand = any(facts.manual for facts in all_facts)
        optimizers = tuple((each, INSTEAD) for each in kinds_asked(self.project, self.statements) if by_hand)
        idle = frozenset(node for facts in all_facts for node in facts.idle)
        makes_anew = any(makes_loaders_anew(facts) for facts in all_facts)
        keeping = keeping_classes(self.project) if makes_anew else frozenset[cst.ClassDef]()
        return [
            replace(
                each,
                expressions=(*each.expressions, *parts),
                names=(*each.names, *optimizers),
                idle=idle,
                keeping=keeping,
            )
            for number, each in enumerate(found)
            if each not in found[:number]
        ]

    def _of_trainers(self, all_facts: Iterable[Facts]) -> Iterable[tuple[cst.BaseExpression, str]]:
        """What is asked of trainers' loops and strategies."""
        asked = dict(self.own.counterparts) if self.own else {}
        for facts in all_facts:
            asked |= {**facts.usage.counterparts, **facts.data_usage.counterparts}
        true = (
            node for facts in all_facts for node in (*facts.usage.surely_true, *facts.data_usage.surely_true)
        )
        members = [self.own.attributes] if self.own else []
        members += (usage.trainer for facts in all_facts for usage in (facts.usage, facts.data_usage))
        wrapped = wrappers_asked(self.project.index, strategies_asked(self.project.index, members))
        known = dict((*((node, "True") for node in true), *wrapped))
        return (*own_rewrites.counterpart_rewrites(asked), *known.items())

    def _of_optimizers(self, all_facts: Iterable[Facts]) -> Iterator[tuple[cst.BaseExpression, str]]:
        """What is asked of optimizers, which Lightning always wraps, and the script where a model steps them."""
        for facts in (each for each in all_facts if not (each.manual or each.optimizes_by_value)):
            yield from wrapped_ones(self.project, facts.usage)
        if any(facts.manual and facts.manual.wraps for facts in all_facts):
            yield from unwrapped(self.project, self.statements)

    def _of_properties(self, all_facts: Iterable[Facts]) -> Iterator[tuple[cst.BaseExpression, str]]:
        """What is set behind properties of a model's, which the script's base has no other names for."""
        for place, name in (each for facts in all_facts for each in facts.usage.set_as.items()):
            yield place, f"{code_of(place.value)}.{name}"

    def _of_unattached(self, all_facts: Iterable[Facts]) -> Iterator[tuple[cst.BaseExpression, str]]:
        """What is caught where modules are asked for their trainer, which they may not have yet."""
        usages = (usage for facts in all_facts for usage in (facts.usage, facts.data_usage))
        yield from dict.fromkeys(each for usage in usages for each in answered(self.project.index, usage))

    # ---- models of several kinds -------------------------------------------------------------------------

    def all_kinds(
        self, own: OwnMain, served: Served, named: Mapping[Kind, str | None]
    ) -> tuple[Plan | None, tuple[Diagnostic, ...]]:
        """One script for models of several kinds, if there are any and it can be; what is wrong with them."""
        try:
            return self._together(self._kinds(own, served, named)), ()
        except CompileError as error:
            return None, tuple(error.diagnostics)

    def _kinds(self, own: OwnMain, served: Served, named: Mapping[Kind, str | None]) -> tuple[Served, ...]:
        """These models, and others that the main trains in loops of their own, by what has the same ones."""
        rest = self._with_others(own, served, named)
        has_all = len(served.models) == len(rest) and own.classes["data"] <= {*served.names("data")}
        if len(rest) < 2 or has_all:
            return (served,)
        found: list[Served] = []
        while rest:
            kind = self._kind(own, rest, served, named)
            found.append(kind)
            rest = [each for each in rest if each not in kind.models]
        return tuple(found)

    def _with_others(self, own: OwnMain, served: Served, named: Mapping[Kind, str | None]) -> list[Class]:
        """These models, others that the main trains too, unless one is named, and others that it evaluates."""
        first = served.models[0]
        found = [
            first,
            *(each for each in candidates.given_classes(self.project, own, "module") if each is not first),
        ]
        are_alone = own.trains_once or named["module"] is not None
        is_fitted = first.name in own.classes["module"] - own.only_evaluated
        beside = own.only_evaluated if is_fitted else ()
        return [each for each in found if each in served.models or not are_alone or each.name in beside]

    def _kind(
        self, own: OwnMain, models: list[Class], served: Served, named: Mapping[Kind, str | None]
    ) -> Served:
        """The first of the models, and others that are given the same data and would have the same loops."""
        data = [own.of_models([each.name]).class_of("data") for each in models]
        planner = self._for(each for each, of in zip(models, data, strict=True) if of == data[0])
        source = next(iter(served.data), None) if named["data"] else self._data(data[0])
        assert planner.own is not None
        return planner.served(planner.own, models[0], source, named)[0]

    def _data(self, name: str | None) -> Class | None:
        return self.project.classes[name] if name else None

    def _together(self, kinds: tuple[Served, ...]) -> Plan | None:
        """One script with loops for each kind; None: there is but one, or they differ in more than these.

        Raises CompileError with all that is wrong with them.
        """
        if len(kinds) < 2 or not all(map(self._serves_all_data, kinds)):
            return None
        if self.own is not None:
            told = tuple(frozenset(each.names("module")) for each in kinds)
            self = replace(self, own=replace(self.own, kinds=told))
        uncertain = self._uncertain(everyone(kinds))
        checked = uncertain.pop("model", ())
        alone = self._all_of(kinds, [() for _ in kinds], uncertain)
        companies = [tuple(facts for facts, *_ in alone if facts is not own) for own, *_ in alone]
        decided = self._all_of(kinds, companies, uncertain)
        all_facts = tuple(facts for facts, *_ in decided)
        script = joined(all_facts, tuple(each for _, each, _ in decided), self.script_name, checked)
        rewrites = self._rewritten(all_facts, script) if script else []
        if script is None or len(rewrites) > 1:
            return None
        facts = replace(all_facts[0], served=everyone(kinds))
        return Plan(facts, script, rewrites[0], tuple(each for *_, told in decided for each in told))

    def _all_of(
        self,
        kinds: tuple[Served, ...],
        companies: Iterable[tuple[Facts, ...]],
        uncertain: Mapping[str, tuple[str, ...]],
    ) -> list[tuple[Facts, Script, tuple[Diagnostic, ...]]]:
        found, problems = [], list[Diagnostic]()
        for kind, company in zip(kinds, companies, strict=True):
            try:
                found.append(self._of(kind, uncertain, company))
            except CompileError as error:
                problems += error.diagnostics
        _refuse(problems)
        if len(found) < len(kinds):  # one stands in the way with what is none by itself
            raise CompileError(problems)
        return found

    def _of(
        self,
        kind: Served,
        uncertain: Mapping[str, tuple[str, ...]],
        company: tuple[Facts, ...] = (),
    ) -> tuple[Facts, Script, tuple[Diagnostic, ...]]:
        data = next(iter(kind.data), None)
        planner = self._for(kind.models)
        own = {"data": kind.names("data")} if "data" in uncertain else {}
        return planner._decided(kind.models[0], data, kind, own, company=company)

    def _serves_all_data(self, kind: Served) -> bool:
        """Whether a kind's loops are for all data that its models are given."""
        own = self._for(kind.models).own
        return own is None or own.classes["data"] <= {*kind.names("data")}

    def _for(self, models: Iterable[Class]) -> Planner:
        """What plans for these models alone."""
        return replace(self, own=self.own.of_models(cls.name for cls in models)) if self.own else self

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


def with_found(plan: Plan, problems: list[Diagnostic]) -> Plan:
    """The plan, with what was found before. Raises CompileError where something stands in its way."""
    _refuse(problems)
    return replace(plan, told=(*problems, *plan.told))


def _refuse(problems: list[Diagnostic]) -> None:
    """Raises CompileError where something stands in a script's way."""
    if any(problem.severity == "error" for problem in problems):
        raise CompileError(problems)


def _asked(facts: Facts) -> frozenset[str]:
    """What a trainer's model asks it for."""
    return facts.trainer_fields | (frozenset({"config"}) if facts.has_trainer else frozenset())


def _rewrites(
    facts: Facts,
    script: Script,
    asked: frozenset[str],
    evaluations: tuple[Evaluation, ...],
    stopping: Mapping[cst.Call, str],
) -> Rewrites:
    """What changes in a main of the user's own, or in the Trainer that the spec describes."""
    if facts.own_main is None:
        return Rewrites(trainer_rewrites(facts.project, facts.default_checkpoint))
    has_default = facts.given_loggers.has_default
    return own_rewrites.rewrites(
        facts.project,
        facts.own_main,
        facts.loaded,
        script.config,
        asked,
        has_default,
        evaluations,
        stopping,
        "new_trainer" if script.tells_at_once else "Trainer",
        facts.default_checkpoint,
        facts.replaced_settings,
        facts.is_remote,
        facts.asks_for_workers,
        facts.precision,
        script.features["accelerator"].is_open,
        facts.takes_weights_only,
    )
