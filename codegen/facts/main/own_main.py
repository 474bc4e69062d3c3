"""The user's own main, kept word for word: where it builds Trainers, what it hands to `fit`, what else it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...index.targets import is_target
from ...ir.project import Kind, Project, Statement
from ...lightning import api, lightning_1
from ...lightning.trainer_names import TRAINER_NAMES
from ...runtime.constructed import OF_THE_SCRIPT, trainer_members
from ...spec.load import LoadedSpec
from ...spec.sections.strategy_spec import StrategySpec
from ...values import Class, values_of
from ..callbacks.trainer_callbacks import check_given
from ..code.asked_by_name import asked_by_name
from ..code.conditions import is_surely_module
from ..code.stages import STAGES
from ..code.usage import Asking, Usage, asked_both_ways
from ..entry.outliving import may_be_saved_after, may_outlive
from ..entry.set_by_name import SetByName
from ..lightning.idle import Idle, idle
from ..lightning.nobodys import asked_of_nobody
from ..lightning.trainer_parts import COUNTERPARTS, Whole, counterpart_asked
from ..logging.trainer_loggers import SetLoggers, set_loggers
from ..strategy.strategy import names_that_stop, unchosen_strategies
from ..trainer.arguments import told, unpacked
from ..trainer.left_out import entered_left_out, left_out
from ..trainer.methods import (
    FIT,
    METHODS,
    ON_DATA,
    ON_LOADERS,
    PARAMETERS,
    FitCall,
    HandedMethod,
    SignatureTest,
)
from ..trainer.set_settings import settings_set
from ..trainer.tuners import Tuners
from .refits import Refits
from .run_order import COMPREHENSIONS, RunOrder
from .seeds import seeds_workers
from .told.picks import Picks, RuledOut
from .trainer_calls import TrainerCalls

OF_RANKS = {
    "is_global_zero": "ranks_from_env().rank == 0",
    "global_rank": "ranks_from_env().rank",
    "local_rank": "ranks_from_env().local_rank",
    "world_size": "ranks_from_env().world_size",
}
"""What a trainer knows of its ranks, before `fit` too."""

ASKED_ANYWHERE = api.WITHOUT_TRAINER - {"hparams", "load_from_checkpoint"}
OF_MODELS = {
    *api.OF_TRAINER - {"trainer"},
    "dtype",
    "lr_schedulers",
    "optimizers",
    *ASKED_ANYWHERE,
    *api.UNSUPPORTED_MEMBERS,
} - {"backward"}
"""What a main may ask of a model."""

ASKED_BESIDE = {"callbacks", "logger", "default_root_dir"}
"""Arguments that a mapping is asked for beside its settings."""

KINDS: tuple[Kind, ...] = ("module", "data")


@dataclass(frozen=True)
class Run:
    """A call that trains a model or evaluates one, and the classes of what it may be given."""

    node: cst.CSTNode
    models: frozenset[str]  # none: not all of them are known
    data: frozenset[str]


@dataclass(frozen=True)
class OwnMain:
    """What is read of a main that stays the user's."""

    trainers: tuple[cst.Call, ...]
    told: tuple[cst.Call, ...]  # the same, with what mappings hold in their place
    fits: tuple[FitCall, ...]
    seeds: tuple[cst.Call, ...]
    seeds_workers: frozenset[
        bool | None
    ]  # what each of these says of loaders' workers; None: as the run goes
    attributes: dict[str, list[cst.Attribute]]  # asked of trainers
    set_attributes: tuple[cst.Attribute, ...]  # of trainers
    settings_set: tuple[cst.Attribute, ...]  # among them, what each run looks at
    settings_asked: tuple[cst.Attribute, ...]  # where these are set, or asked for, outside of hooks
    set_loggers: SetLoggers  # among those that are set
    classes: dict[Kind, frozenset[str]]  # that the models and the data modules are of, as far as can be read
    reads_all_models: bool
    reads_all_data: bool
    reads_all_fits: bool
    may_refit: bool  # one Trainer twice
    epochs_set: tuple[cst.Attribute, ...]  # `fit_loop.max_epochs` of Trainers, after which they go on
    epochs_asked: tuple[cst.Attribute, ...]  # the same, where it is read
    without_val: frozenset[
        cst.CSTNode
    ]  # calls of `fit` that may give no loader of validation, though they name one
    evaluations: tuple[FitCall, ...] = ()  # calls of `validate`, `test` and `predict`
    asked_of_models: tuple[cst.Attribute, ...] = ()  # what Lightning's class has
    named_of_models: frozenset[str] = frozenset()  # the same, by `getattr`
    compiled: frozenset[cst.CSTNode] = (
        frozenset()
    )  # calls that may be given what `torch.compile` makes of a model
    asked_of_parts: tuple[cst.Attribute, ...] = ()  # the same of other LightningModules
    left_out: tuple[
        tuple[cst.BaseExpression, str], ...
    ] = ()  # objects that the script does without, with what it has instead

    stopping: dict[cst.Call, str] = field(default_factory=dict)  # calls that end the run, and why
    tuners: frozenset[cst.CSTNode] = frozenset()  # names of Lightning's Tuner
    counterparts: dict[Whole, str] = field(default_factory=dict)  # of members of trainers' parts
    shared: dict[Kind, frozenset[str]] = field(default_factory=dict)  # classes that each call may be given
    fits_once: bool = False  # of several calls of `fit` but one is run
    trains_once: bool = False  # in a process
    pairs_models: bool = False  # with trainers: no model has a second one
    handed: tuple[HandedMethod, ...] = ()  # methods of trainers that are called by other names
    signature_tests: tuple[SignatureTest, ...] = ()  # of the same
    runs: tuple[Run, ...] = ()  # each call, with the classes of what it is given
    others: frozenset[cst.CSTNode] = frozenset()  # those that are for models of other kinds
    got: dict[str, list[cst.Call]] = field(
        default_factory=dict
    )  # asked of trainers by `getattr` and `hasattr`
    every_fit: tuple[FitCall, ...] = ()  # for models of other kinds too
    kinds: tuple[frozenset[str], ...] = ()  # the models of each, where there are several
    again: tuple[cst.Call, ...] = ()  # fits of Trainers that have surely been told to fit before
    goes_on_with_models: bool = False  # once they have been trained, or evaluated
    idle: dict[cst.Attribute, Idle] = field(default_factory=dict)
    """What trainers are asked for to no effect, by its place: what the script leaves out."""

    ending: tuple[tuple[cst.BaseExpression, str], ...] = ()
    """Names of strategies that the script does not train by, each with what ends the run in its place."""

    ruled_out: dict[Kind, RuledOut] = field(default_factory=dict)  # by what the code is told
    excluded: dict[cst.CSTNode, frozenset[cst.CSTNode]] = field(default_factory=dict)
    """By calls of `fit` the others of which none is run where it is."""

    @property
    def goes_on(self) -> bool:
        """Whether a Trainer may fit again, from the epoch that it has reached."""
        return bool(self.epochs_set or self.again)

    @property
    def gives_train(self) -> bool:
        """Whether `fit` is given loaders, and no data module."""
        return self._gives("train_dataloaders") and not self.classes["data"]

    @property
    def gives_val(self) -> bool:
        return self._gives("val_dataloaders")

    @property
    def gives_checkpoint(self) -> bool:
        return self._gives("ckpt_path")

    @property
    def gives_weights_only(self) -> bool:
        return self._gives("weights_only")

    @property
    def weights_only(self) -> tuple[cst.BaseExpression, ...]:
        """Where it is said whether code that a checkpoint holds is run."""
        told = (call.expression("weights_only") for call in (*self.fits, *self.evaluations))
        return tuple(each for each in told if each is not None)

    def _gives(self, argument: str) -> bool:
        return any(fit.expression(argument) is not None for fit in self.fits)

    @property
    def may_give_no_val(self) -> bool:
        """Whether there may be no loader of validation, though one is named."""
        return self.gives_val and any(fit.node in self.without_val for fit in self.fits)

    @property
    def has_both(self) -> bool:
        """Whether calls of `fit` are given loaders, and others, or evaluations, a data module."""
        shapes = {fit.shape for fit in self.fits}
        return shapes == {ON_DATA, ON_LOADERS} or (shapes == {ON_LOADERS} and bool(self.classes["data"]))

    @property
    def asked_of_trainers(self) -> dict[str, list[Asking]]:
        """What trainers are asked for, by attributes and by name."""
        return asked_both_ways(self.attributes, self.got)

    @property
    def only_evaluates(self) -> bool:
        """Whether no call of `fit` is for these models, and others are."""
        return not self.fits and bool(self.evaluations)

    @property
    def only_evaluated(self) -> frozenset[str]:
        """Classes of models that are given to evaluations, and surely to no call of `fit`."""
        fits = {fit.node for fit in self.every_fit}
        fitted = [run.models for run in self.runs if run.node in fits]
        return self.classes["module"].difference(*fitted) if all(fitted) else frozenset()

    def class_of(self, kind: Kind) -> str | None:
        """The class that is trained, or brings the data; None: it cannot be told."""
        return min(self.left(kind), default=None)

    def left(self, kind: Kind) -> frozenset[str]:
        """The classes that the script may be for: of those that every call may be given those not ruled out."""
        names = self.shared.get(kind) or self.classes[kind]
        return names - self.ruled_out.get(kind, RuledOut()).names or names

    def of_models(self, names: Iterable[str]) -> OwnMain:
        """The same for models of one kind."""
        own = frozenset(names)
        mine = [run for run in self.runs if not run.models or not own.isdisjoint(run.models)]
        data = frozenset[str]().union(*(run.data for run in mine))
        classes: dict[Kind, frozenset[str]] = {"module": own, "data": data}
        shared: dict[Kind, frozenset[str]] = {"module": own, "data": _in_all(run.data for run in mine)}
        others = frozenset(run.node for run in self.runs if run not in mine)
        fits = tuple(each for each in self.every_fit if each.node not in others)
        return replace(self, classes=classes, shared=shared, others=others, fits=fits)

    def serving(self, call: FitCall) -> OwnMain:
        """The same for the models that a call of `fit` trains; for some of them, where they are of several kinds."""
        models = self.models_of(call)
        kind = next((each for each in self.kinds if not models or models & each), None)
        return self.of_models(kind) if kind else self

    def is_for_one_kind(self, call: FitCall) -> bool:
        """Whether all that a call may train are of one of several kinds."""
        models = self.models_of(call)
        return any(models and models <= each for each in self.kinds)

    def models_of(self, call: FitCall) -> frozenset[str]:
        """The classes of the models that it may be given; none: not all of them are known."""
        return next((run.models for run in self.runs if run.node is call.node), frozenset())

    @property
    def translated(self) -> frozenset[cst.CSTNode]:
        """Names of Lightning's that the script has a translation of."""
        calls = (*self.trainers, *self.seeds, *(node for node, _ in self.left_out))
        return self.tuners | {each.func if isinstance(each, cst.Call) else each for each in calls}


def builds_trainer(project: Project) -> bool:
    """Whether a statement of the project's calls `Trainer`."""
    return bool(values_of(project).calls_of("Trainer"))


def read_own_main(
    project: Project, statements: Iterable[Statement], loaded: LoadedSpec, problems: list[Diagnostic]
) -> OwnMain:
    """Read the statements that the entry consists of, and what they reach.

    Of mappings that are unpacked for a Trainer, and cannot be read, the settings are the spec's `trainer_keys`.
    """
    spec = loaded.spec
    expected = spec.trainer_keys
    calls = TrainerCalls(project, [statement.node for statement in statements], problems)
    trainers, fits = calls.of("Trainer"), tuple(calls.of_method("fit"))
    problems += check_given(project, trainers)
    problems += [*calls.check_unknown()] or [*calls.check_passed_on()]
    problems += check_unpacked(project, trainers, expected)
    refits = Refits(project, fits)
    evaluations = tuple(call for method in STAGES for call in calls.of_method(method))
    problems += calls.check_handed((*fits, *evaluations))
    data_of = [calls.data_of(call) for call in (*fits, *evaluations)]
    runs = (*fits, *evaluations)
    run_nodes = [call.node for call in runs]
    models_of = [calls.models_of(call) for call in runs]
    data = frozenset[str]().union(*data_of)
    found = [name for names in models_of for name in names]
    models = frozenset(name for name in found if name)
    picks = Picks(project)
    ruled_out = {kind: picks.ruled_out(runs, kind) for kind in KINDS}
    models_left = [{*each} - ruled_out["module"].names for each in models_of]
    shared: dict[Kind, frozenset[str]] = {
        "module": _in_all(models_left) or _in_all(models_left[: len(fits)]),  # else one is evaluated alone
        "data": _in_all(each - ruled_out["data"].names for each in data_of),
    }
    unchosen = unchosen_strategies(project, loaded, calls.nodes, trainers)
    if not loaded.is_given("trainer.strategy"):
        problems += (messages.strategy_unchosen((project.source, each)) for each in unchosen)
    tuners = Tuners(project, calls.nodes)
    problems += tuners.said
    set_by_name = SetByName(project)
    problems += set_by_name.said()
    handed = (*(each.node for each in calls.handed), *(each.method for each in calls.asked))
    members = Members(calls, frozenset((*(call.func for call in calls.of(*METHODS)), *handed)))
    asked, is_set = members.asked_of_trainers(), tuple(members.set_of_trainers())
    epochs_set = tuple(members.epochs_set)
    again = tuple(refits.sure())
    return OwnMain(
        trainers=tuple(trainers),
        told=tuple(told(project, call, expected) for call in trainers),
        fits=fits,
        seeds=tuple(calls.of("seed_everything")),
        seeds_workers=frozenset(seeds_workers(project, call) for call in calls.of("seed_everything")),
        attributes=asked,
        set_attributes=is_set,
        settings_set=tuple(members.settings_set),
        settings_asked=tuple(members.settings_asked),
        set_loggers=set_loggers(project.index, is_set, asked, members.is_in_hook, len(trainers)),
        classes={"module": models, "data": data},
        reads_all_models=None not in found,
        reads_all_data=calls.reads_all_data,
        reads_all_fits=calls.reads_all,
        may_refit=refits.may_be and not (epochs_set or again),
        epochs_set=epochs_set,
        epochs_asked=tuple(
            each for each in asked.get("max_epochs", ()) if epochs_set and not members.is_in_hook(each)
        ),
        without_val=frozenset(fit.node for fit in fits if calls.may_give_no_val(fit)),
        evaluations=evaluations,
        asked_of_models=tuple(members.asked_of_models(models)),
        named_of_models=frozenset(members.named_of_models(models)),
        compiled=frozenset(calls.compiled),
        asked_of_parts=tuple(members.asked_of_parts(models)),
        left_out=(
            *left_out(project, calls.nodes, spec.strategy, unchosen),
            *entered_left_out(project, calls.nodes),
            *tuners.left_out,
        ),
        stopping=tuners.stopping | set_by_name.stopping,
        tuners=frozenset(tuners.functions),
        counterparts=members.counterparts(),
        shared=shared,
        fits_once=refits.are_alternatives,
        trains_once=calls.reads_all and refits.are_at_most_one,
        pairs_models=refits.pair_models(evaluations),
        handed=calls.handed,
        signature_tests=calls.asked,
        runs=tuple(_runs((*fits, *evaluations), models_of, data_of, refits)),
        got=members.got_of_trainers(),
        every_fit=fits,
        again=again,
        goes_on_with_models=may_outlive(
            project,
            members.expressions(),
            models,
            [value for call in runs for value in calls.given(call, "model")],
            run_nodes,
        )
        or may_be_saved_after(project, asked.get("save_checkpoint", ()), run_nodes),
        idle=members.idle(asked),
        ending=tuple(names_that_stop(project, loaded, trainers)),
        ruled_out=ruled_out,
        excluded=refits.excluded,
    )


EXPECTED = StrategySpec.model_fields["trainer_keys"].default
"""Of mappings of which nothing is known."""


def check_unpacked(
    project: Project, trainers: Iterable[cst.Call], expected: tuple[str, ...]
) -> Iterator[Diagnostic]:
    """Mappings that Trainers are given: what is not known of them, and those that could have no name."""
    for mapping in (each for call in trainers for each in unpacked(project, call, expected)):
        at = (project.source, mapping.node)
        if mapping.is_open:
            names = [each.name for each in mapping.entries]
            yield messages.settings_at_run(at, names, is_guess={*names} <= {*EXPECTED})
        objects = {each.name for each in mapping.entries} & ASKED_BESIDE
        if (
            objects
            and not mapping.may_be_asked_twice
            and project.index.ancestor(mapping.node, *COMPREHENSIONS)
        ):
            yield messages.mapping_asked_twice(at, min(objects))


def _runs(
    calls: tuple[FitCall, ...], models: list[list[str | None]], data: list[set[str]], refits: Refits
) -> Iterator[Run]:
    """What each call is given; where that is no model, it runs its trainer's, and evaluations keep its data."""
    given = [*zip(calls, models, data, strict=True)]
    for call, names, sources in given:
        sharing = [each for each in given if refits.may_share(each[0].node, call.node)]
        known = names or [name for _, of, _ in sharing for name in of]
        found = frozenset(name for name in known if name)
        if not sources and call.method != FIT:
            earlier = [
                each for each in sharing if not names or refits.always_precedes(each[0].node, call.node)
            ]
            sources = set[str]().union(*(of for *_, of in earlier))
        yield Run(call.node, found if all(known) else frozenset(), frozenset(sources))


def _in_all(found: Iterable[Iterable[str | None]]) -> frozenset[str]:
    """The names that all have which have any."""
    named = [known for names in found if (known := {name for name in names if name})]
    return frozenset(set.intersection(*named)) if named else frozenset()


@dataclass(frozen=True)
class Members:
    """What a main asks of trainers and models, but for the calls that are read already."""

    calls: TrainerCalls
    called: frozenset[cst.CSTNode]

    def is_trainer(self, value: cst.BaseExpression) -> bool:
        """Whether an expression may be a Trainer."""
        may_be = any(map(self.calls.instances.is_trainer, self.calls.values.of(value)))
        return may_be and not is_surely_module(self.calls.project, value)

    def asked_of_trainers(self) -> dict[str, list[cst.Attribute]]:
        found: dict[str, list[cst.Attribute]] = {}
        others = {*self.called, *(each.value for each in self.epochs_set), *self.settings_asked}
        for node in self.calls.within(cst.Attribute):
            if node not in others and self.is_trainer(node.value):
                counterpart = counterpart_asked(self.calls.project.index, node)
                found.setdefault(counterpart[1] if counterpart else node.attr.value, []).append(node)
        for name in self.got_of_trainers():
            found.setdefault(name, [])
        return found

    def got_of_trainers(self) -> dict[str, list[cst.Call]]:
        """The same by `getattr` and `hasattr`."""
        found: dict[str, list[cst.Call]] = {}
        for call, owner, name in asked_by_name(self.calls.project):
            if self.calls.instances.is_trainer(owner) and name in trainer_members():
                found.setdefault(name, []).append(call)
        return found

    def counterparts(self) -> dict[Whole, str]:
        """What is asked of trainers' loops and strategies, by the trainer's attribute."""
        nodes = (each for each in self.calls.within(cst.Attribute) if self.is_trainer(each.value))
        found = dict(filter(None, (counterpart_asked(self.calls.project.index, each) for each in nodes)))
        is_set = bool(self.epochs_set)  # which is the configuration's then
        return {node: name for node, name in found.items() if not (is_set and name == "max_epochs")}

    def idle(self, asked: Mapping[str, Iterable[cst.Attribute]]) -> dict[cst.Attribute, Idle]:
        """What comes of what they are asked for, where that is nothing."""
        found = ((each, idle(self.calls.project, each)) for nodes in asked.values() for each in nodes)
        return {each: left_out for each, left_out in found if left_out is not None}

    def set_of_trainers(self) -> Iterator[cst.Attribute]:
        return (target for target in self._targets if self.is_trainer(target.value))

    @cached_property
    def settings_set(self) -> list[cst.Attribute]:
        """Where the main sets a setting that each run looks at."""
        project, order = self.calls.project, RunOrder(self.calls.project)
        return [each for each in settings_set(project, self.set_of_trainers()) if order.is_run_by_main(each)]

    @cached_property
    def settings_asked(self) -> list[cst.Attribute]:
        """Those, and where it asks for the same."""
        names = {each.attr.value for each in self.settings_set}
        nodes = (each for each in self.calls.within(cst.Attribute) if each.attr.value in names)
        return [each for each in nodes if self.is_trainer(each.value) and not self.is_in_hook(each)]

    @cached_property
    def epochs_set(self) -> list[cst.Attribute]:
        """`trainer.fit_loop.max_epochs`, where the main sets it."""
        loop = m.Attribute(value=m.Attribute(attr=m.Name("fit_loop")), attr=m.Name("max_epochs"))
        found = (
            target for target in self._targets if m.matches(target, loop) and not self.is_in_hook(target)
        )
        return [each for each in found if self.is_trainer(cst.ensure_type(each.value, cst.Attribute).value)]

    @cached_property
    def _targets(self) -> list[cst.Attribute]:
        return [
            node for node in self.calls.within(cst.Attribute) if is_target(self.calls.project.index, node)
        ]

    def asked_of_models(self, models: frozenset[str]) -> Iterator[cst.Attribute]:
        """Members of Lightning's that are asked of something that surely is a model, outside of its class."""
        for node in self.calls.within(cst.Attribute):
            if node.attr.value in OF_MODELS and not self.is_in_hook(node):
                found = self.calls.instances.names(self.calls.values.of(node.value), "module")
                if found and models.issuperset(found):
                    yield node

    def named_of_models(self, models: frozenset[str]) -> Iterator[str]:
        """The same by `getattr` and `hasattr`: their names."""
        for call, owner, name in asked_by_name(self.calls.project):
            is_models = self.calls.instances.name_of(owner, "module") in models
            if name in api.MEMBERS and is_models and not self.is_in_hook(call):
                yield name

    def asked_of_parts(self, models: frozenset[str]) -> Iterator[cst.Attribute]:
        """The same members, asked of what may be another LightningModule."""
        for node in self.calls.within(cst.Attribute):
            if node.attr.value in OF_MODELS and not self.is_in_hook(node):
                found = self.calls.instances.names(self.calls.values.of(node.value), "module")
                if any(name not in models for name in found if name):
                    yield node

    def expressions(self) -> Iterator[cst.BaseExpression]:
        """What may stand for a model, outside of hooks."""
        within = self.calls.within
        nodes = chain(within(cst.Name), within(cst.Attribute), within(cst.Subscript), within(cst.Call))
        return (each for each in nodes if not self.is_in_hook(each))

    def is_in_hook(self, node: cst.CSTNode) -> bool:
        """Whether it stands in a class of Lightning's kinds, whose members are read with the class."""
        index, values = self.calls.project.index, self.calls.values
        cls = index.class_of(node)
        return cls is not None and bool(values.lightning_bases(Class(cls)))


def _instead_of(member: str) -> str:
    """What a main may do without a member of the trainer's."""
    return (api.INSTEAD_OF_TRAINER_MEMBERS | lightning_1.TRAINER_MEMBERS).get(member, "Do without it")


def _not_had(project: Project, node: cst.Attribute) -> Diagnostic:
    """What is said of a member that the script's trainer has not."""
    at, name = (project.source, node), node.attr.value
    if name in PARAMETERS:
        return messages.method_by_another_name(at, name)
    said = asked_of_nobody(project, node)
    return said or messages.unsupported_trainer_use(at, name, _instead_of(name))


def _added(main: OwnMain) -> frozenset[str]:
    """Attributes that the main gives trainers, under names that neither Lightning nor the script has."""
    return frozenset(filter(is_nobodys, (each.attr.value for each in main.set_attributes)))


def is_nobodys(name: str) -> bool:
    """Whether neither Lightning's trainer nor the script's has an attribute, so that code may add it to both."""
    return not name.startswith("_") and name not in TRAINER_NAMES | OF_THE_SCRIPT


def check_own_main(project: Project, main: OwnMain, usage: Usage) -> Iterator[Diagnostic]:
    """What is asked of trainers that the script does not have, but for what the model and its callbacks ask."""
    others = {node for nodes in usage.trainer.values() for node in nodes}
    asked = (node for nodes in main.attributes.values() for node in nodes)
    others |= {*usage.idle, *usage.surely_true, *main.idle}
    others |= {node for node in asked if counterpart_asked(project.index, node)}
    known = trainer_members() | COUNTERPARTS | {"init_module"} | _added(main)
    for name, nodes in main.attributes.items():
        if name not in known and name not in OF_RANKS:  # which `fit` keeps up to date
            yield from (_not_had(project, node) for node in nodes if node not in others)
    read = [fit for fit in main.fits if fit.is_read]  # of another is said what cannot be told
    if len({fit.shape for fit in read}) > 1 and not main.has_both:
        yield from (messages.fit_shapes_differ((project.source, each.node)) for each in read)
