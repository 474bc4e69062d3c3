"""What the user's own main runs beside training, and on what data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeGuard

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project
from ...ir.rewrites import evaluating
from ...lightning.api import TRANSFER_HOOKS
from ...messages.making import choices
from ...values import Dict, Literal, Option, Sequence, Value, values_of
from ..callbacks.configured import SETTING
from ..code.stages import STAGES, VALIDATE, Stage, takes_dataloader_idx, without_index
from ..data.loader_collections import may_be_collection, misread, reading_of
from ..data.loaders import LoaderFacts, any_several, given_loader, loader_facts, surely_several
from ..lightning.unsupported import check_callback_signatures, check_signatures
from ..logging.logging import LoggingFacts
from ..trainer.methods import FitCall, told_to
from ..trainer.settings import NO_PLAIN_VALUE, known_value
from .own_main import OwnMain
from .refits import Refits

ACTING = frozenset("prepare_data setup teardown state_dict load_state_dict on_exception".split())
"""Hooks of a data module's that an evaluation runs, though it takes loaders from elsewhere."""

Shape = tuple[frozenset[str], bool]
"""What a call is given of data, and whether the trainer has a data module of an earlier call."""


@dataclass(frozen=True)
class Evaluation:
    """The calls of `trainer.validate`, `test` or `predict` that are all given the same."""

    stage: Stage
    calls: tuple[FitCall, ...]
    loader: LoaderFacts
    function: str  # that they become calls of
    keeps_data: bool = False  # of an earlier call, whose hooks Lightning runs here too
    others: tuple[FitCall, ...] = ()  # that become calls of the same for models of other kinds
    may_lack_data: bool = False  # if no such call was run

    def gives(self, argument: str) -> bool:
        return any(call.expression(argument) is not None for call in (*self.calls, *self.others))

    @property
    def has_data(self) -> bool:
        return self.keeps_data or self.gives("datamodule")

    @property
    def gives_checkpoint(self) -> bool:
        return self.gives("ckpt_path") or self.lacks_model

    @property
    def lacks_model(self) -> bool:
        """Whether a call leaves the model to the trainer, which has it from the run before."""
        return any(call.expression("model") is None for call in (*self.calls, *self.others))


def of_all(found: Iterable[Evaluation]) -> tuple[Evaluation, ...]:
    """The evaluations of models of several kinds: those of one function are one."""
    by_function: dict[str, Evaluation] = {}
    for each in found:
        known = by_function.setdefault(each.function, each)
        more = tuple(call for call in each.calls if call not in known.calls)
        by_function[each.function] = replace(known, calls=known.calls + more)
    return tuple(by_function.values())


def with_parameters(found: Iterable[Evaluation], val: LoaderFacts | None) -> Iterator[Evaluation]:
    """Each with the parameter that it takes loaders by: the stage's name for several where any may be several."""
    evaluations = tuple(found)
    several = {each.stage for each in evaluations if each.loader.several}
    several |= {VALIDATE} if val is not None and val.several else set()
    for each in evaluations:
        loader = each.loader
        is_plural = each.stage in several and not loader.owner
        yield replace(each, loader=replace(loader, hook="loaders")) if is_plural else each


@dataclass
class EvaluationReader:
    """Reads what is run beside training, and adds to `problems` what cannot be."""

    project: Project
    main: OwnMain
    model: Class
    source: Class | None
    problems: list[Diagnostic]
    stopping: dict[cst.Call, str] = field(default_factory=dict)
    """Calls at which Lightning stops with an error, and why."""
    unsure: set[cst.Call] = field(default_factory=set)
    """Calls of which it cannot be told whether the trainer has a data module."""

    def read(self) -> Iterator[Evaluation]:
        for stage in STAGES.values():
            shapes: dict[Shape, list[FitCall]] = {}
            for call in self.main.evaluations:
                if call.method == stage.method and call.is_read and self._runs(stage, call):
                    shapes.setdefault(self._shape(call), []).append(call)
            for place, (shape, found) in enumerate(shapes.items()):
                function = evaluating(stage.function, *shape) if place else stage.function
                calls = [call for call in found if call.node not in self.main.others]
                others = tuple(call for call in found if call not in calls)
                may_lack = any(call.node in self.unsure for call in found)
                if calls and (loader := self._loader(stage, shape, calls)):
                    yield Evaluation(stage, tuple(calls), loader, function, shape[1], others, may_lack)

    def _shape(self, call: FitCall) -> Shape:
        given = frozenset(name for name in ("dataloaders", "datamodule") if call.expression(name))
        return given, "datamodule" not in given and self._keeps_data(call)

    def _keeps_data(self, call: FitCall) -> bool:
        """Whether the trainer has the data module of an earlier call."""
        refits = Refits(self.project, self.main.every_fit)
        others = [each for each in (*self.main.every_fit, *self.main.evaluations) if each is not call]
        sharing = [each for each in others if refits.may_share(each.node, call.node)]
        giving = [each for each in sharing if each.expression("datamodule")]
        if any(refits.always_precedes(each.node, call.node) for each in giving):
            return True
        if call.expression("model") is None and giving:  # which an earlier call has given, as it has to
            return all(each in giving for each in sharing if each.expression("model"))
        is_without = all(refits.surely_precedes(call.node, each.node) for each in giving)
        if is_without or not self._data_acts:
            return False
        gives_loaders = call.expression("dataloaders") is not None
        if gives_loaders and self._has_stand_in:
            self.unsure.add(call.node)
            return True
        at = (self.project.source, call.node)
        self.problems.append(messages.evaluation_without_data(at, call.method, gives_loaders))
        return False

    @property
    def _has_stand_in(self) -> bool:
        """Whether something else may do what is done without a data module, as the model has none of its hooks."""
        source = self.source
        if source is None or self.main.classes["data"] != {source.name} or not self.main.reads_all_data:
            return False
        return not any(hook in source.methods and hook in self.model.methods for hook in TRANSFER_HOOKS)

    @property
    def _data_acts(self) -> bool:
        """Whether it makes a difference that a trainer has a data module beside the loaders that it runs on."""
        classes = [self.project.classes[name] for name in self.main.classes["data"]]
        is_asked = bool(self.project.index.attributes("datamodule", "save_hyperparameters"))
        return is_asked or not self.main.reads_all_data or any(ACTING & {*each.methods} for each in classes)

    def _loader(self, stage: Stage, shape: Shape, calls: list[FitCall]) -> LoaderFacts | None:
        given = [value for call in calls if (value := call.expression("dataloaders"))]
        if not given:
            source = self.source if "datamodule" in shape[0] else None
            return loader_facts(self.project, stage.loader, self.model, source)
        return given_to(self.project, stage, self.model, given, "loader", self.problems)

    def _runs(self, stage: Stage, call: FitCall) -> bool:
        """Whether a call gets as far as the data."""
        return call.node in self.main.others or not self._stops(stage, call)

    def _stops(self, stage: Stage, call: FitCall) -> bool:
        """Whether Lightning stops at a call, for what it needs and has not."""
        source = self.source if call.expression("datamodule") is not None else None
        why = self._lacks(stage, call.expression("dataloaders") is not None, source)
        if why:
            self._stop(stage, call, source, *why)
        return bool(why)

    def _lacks(self, stage: Stage, is_given: bool, source: Class | None) -> tuple[str, ...]:
        """What an evaluation needs and has not: the method's name, and whose it would be."""
        if stage.step not in self.model.methods and stage.method != "predict":
            return stage.step, self.model.name
        return () if is_given or stage.loader in (source or self.model).methods else (stage.loader,)

    def _stop(self, stage: Stage, call: FitCall, source: Class | None, needed: str, owner: str = "") -> None:
        """Where the main trains, it gets as far as under Lightning; and where it evaluates others, up to these."""
        at, models = (self.project.source, call.node), self.main.models_of(call)
        if (self.main.every_fit or models - {self.model.name}) and not call.taken:
            whose = owner or (source.name if source else "")
            lacks = f", which `{whose}` has not" if whose else " of the model's, or to be given data here"
            self._go_as_far(at, call, f"`{stage.method}` needs a `{needed}`{lacks}", sorted(models))
        elif owner:
            self.problems.append(messages.no_step_to_evaluate(at, stage.method, owner, needed))
        else:
            self.problems.append(messages.no_data_to_evaluate(at, stage.method, needed))

    def _go_as_far(self, at: messages.At, call: FitCall, why: str, models: list[str]) -> None:
        """Have the script stop at a call that may be given these models."""
        name = self.model.name
        if models and name not in models:
            why = f"`{call.method}` is given objects of {choices(models)}, and this script is for `{name}`"
            self.problems.append(messages.evaluation_of_another(at, why))
        else:
            self.problems.append(messages.evaluation_stops(at, why, name if len(models) > 1 else ""))
        self.stopping[call.node] = why.replace("`", "")


def given_to(
    project: Project,
    stage: Stage,
    model: Class,
    given: list[cst.BaseExpression],
    variable: str,
    problems: list[Diagnostic],
) -> LoaderFacts:
    """What a main gives in a loader's place, which may be several; adds to `problems`."""
    found = [each for node in given for each in values_of(project).of(node).without_none]
    nodes, reading = misread(project, found, stage), reading_of(project, found)
    problems += [messages.combined_loader((project.source, node)) for node in nodes]
    is_told = takes_dataloader_idx(model.methods.get(stage.step))
    is_open = is_told or any(may_be_collection(project, value) for value in given)
    several = is_open if not reading else reading == "in turn"
    loader, together = given_loader(project, variable, given), reading == "together"
    return replace(
        loader,
        several=several,
        together=together,
        in_turn=several and reading == "in turn",
        has_tensor_batches=loader.has_tensor_batches and not together,
    )


def validation_loader(
    project: Project,
    main: OwnMain | None,
    model: Class,
    source: Class | None,
    problems: list[Diagnostic],
) -> LoaderFacts | None:
    """The loader that `fit` validates on; adds to `problems`."""
    given = [value for call in main.fits if (value := call.expression("val_dataloaders"))] if main else []
    if not given or (main and main.has_both):
        return loader_facts(project, VALIDATE.loader, model, source)
    return given_to(project, VALIDATE, model, given, "val_loader", problems)


def check_one_device(project: Project, main: OwnMain) -> Iterator[Diagnostic]:
    """Evaluations of Trainers with a device of their own, beside others that train on as many as there are."""
    devices = _Devices(project, main)
    if all(map(devices.is_one, main.every_fit)):
        return
    for call in main.evaluations:
        is_shared = any(devices.refits.may_share(each.node, call.node) for each in main.every_fit)
        if not is_shared and devices.is_one(call):
            yield messages.evaluation_on_one_device((project.source, call.node), call.method)


@dataclass(frozen=True)
class _Devices:
    """Tells which Trainers run on one."""

    project: Project
    main: OwnMain

    @cached_property
    def refits(self) -> Refits:
        return Refits(self.project, self.main.every_fit)

    @cached_property
    def told(self) -> dict[cst.CSTNode | None, cst.Call]:
        return dict(zip(self.main.trainers, self.main.told, strict=True))

    def is_one(self, call: FitCall) -> bool:
        """Whether those of a call are surely told to run on one, in a process of their own."""
        made = told_to(self.project, [call])
        return bool(made) and all(
            self._is_told_one(given) for each in made for given in self._given(call, each)
        )

    def _is_told_one(self, given: Mapping[str, object]) -> bool:
        devices = given.get("devices")
        is_one = devices in (1, "1") or (isinstance(devices, list) and len(devices) == 1)
        return is_one and given.get("num_nodes", 1) == 1

    def _given(self, call: FitCall, made: cst.CSTNode | None) -> Iterator[Mapping[str, object]]:
        """What the Trainers of a call are told that are made at a place, as far as it is known."""
        places = self.refits.making(made, None) if made else {}
        if not any(map(self._is_of_configuration, places)):
            yield self._arguments(self.told[made]) if made in self.told else {}
            return
        local = self.refits.local(call.node, made) if made else set()
        configured = [each for each in local if self._is_of_configuration(each)]
        is_read = bool(local) and len(configured) == len(local)
        yield from map(self._configured, configured) if is_read else ({},)

    def _is_of_configuration(self, place: cst.CSTNode) -> TypeGuard[cst.Call]:
        """Whether it makes something of a configuration, as the script's `instantiate` does."""
        own = self.project.configuration
        called = place.func if isinstance(place, cst.Call) and place.args else None
        return own is not None and isinstance(called, cst.Name) and called.value == own.instantiate

    def _configured(self, call: cst.Call) -> dict[str, object]:
        """What a configuration says, and the call in its place."""
        values = values_of(self.project)
        held = [values.parts(each) or {} for each in values.of(call.args[0].value) if isinstance(each, Dict)]
        parts = held[0].items() if len(held) == 1 else ()
        said = {name: self._alike(each) for name, each in parts if isinstance(name, str)}
        return said | self._arguments(call)

    def _alike(self, found: Iterable[Value]) -> object:
        """What a setting is when building, where there are not several."""
        said = [*map(self._said, found)]
        return said[0] if said and said.count(said[0]) == len(said) else NO_PLAIN_VALUE

    def _said(self, value: Value) -> object:
        """The same of one value; of a list what its elements are made by."""
        if isinstance(value, Option) and m.matches(value.node, SETTING):
            return known_value(self.project, cst.ensure_type(value.node, cst.Call).args[1].value)
        node = value.node if isinstance(value, Sequence) else None
        if isinstance(node, cst.List):
            return [*node.elements]
        return value.value if isinstance(value, Literal) else NO_PLAIN_VALUE

    def _arguments(self, call: cst.Call) -> dict[str, object]:
        given = (each for each in call.args if each.keyword)
        return {each.keyword.value: known_value(self.project, each.value) for each in given if each.keyword}


def check_several(
    project: Project,
    model: Class,
    source: Class | None,
    val: LoaderFacts | None,
    evaluations: tuple[Evaluation, ...],
    logged: LoggingFacts,
    callbacks: tuple[Class, ...],
) -> Iterator[Diagnostic]:
    """Steps and hooks that are told too much, or too little, of which loader a batch comes from."""
    loaders = [(VALIDATE, val), *((each.stage, each.loader) for each in evaluations)]
    several = {stage for stage, loader in loaders if loader and loader.several}
    indexed = frozenset(hook for stage in several for hook in stage.with_index)
    called = frozenset(hook for stage, _ in loaders for hook in stage.called)
    yield from check_signatures(project, model, indexed, called)
    for cls in callbacks:
        yield from check_callback_signatures(project, cls, indexed, called)
    for stage, loader in loaders:
        if loader and loader.together:
            at = (project.source, model.methods[stage.step].name)
            yield from (messages.several_loaders(at),) if loader.dataset == "unsized" else ()
            yield from (messages.read_in_two_ways(at, stage.step),) if stage in several else ()
        if loader is not None and loader.owner:
            owner = source if source and loader.owner == "data" else model
            yield from _check_indexes(project, stage, model, owner)


def _check_indexes(project: Project, stage: Stage, model: Class, owner: Class) -> Iterator[Diagnostic]:
    if not any_several(project, owner, stage.loader):
        return
    may_be_one = not surely_several(project, owner, stage.loader)
    for hook in without_index(model, stage):
        yield messages.lacks_dataloader_idx((project.source, model.methods[hook].name), hook, may_be_one)
