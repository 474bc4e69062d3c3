"""The callbacks that a program makes or defines, their hooks, and what they read of the trainer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...ir.project import Class, Project, Statement, bound_by
from ...ir.rewrites import Rewrite, Rewrites
from ...ir.script import Constructed, Kept
from ...lightning import api
from ...runtime.constructed import (
    OWN_SETUP,
    base_of,
    constants_of,
    fields_of,
    kept_of,
    members_of,
    model_reads,
    trainer_reads,
    unasked_members,
)
from ...source.names import attributes_in
from ..code.literals import code_of
from ..displays.asked_displays import AskedDisplays, stand_in
from ..displays.entered import Entered
from .by_name import members_by_name
from .configured import configured, is_checking

OF_OWN_LOGGERS = frozenset({"Logger", "rank_zero_experiment"})
"""What classes that a program has for loggers of its own are made with."""

LAMBDAS = "LambdaCallback"
"""The callback whose hooks are functions that it is given."""

KNOWN = frozenset({*api.CALLBACKS, *api.LOGGERS, *OF_OWN_LOGGERS, "CombinedLoader"})
"""Classes of Lightning's that the script has under the same names."""


BY_STEPS, ON_FAILURE = api.DECISIVE["ModelCheckpoint"]
"""Options of a ModelCheckpoint that need code in the loop, and around it."""

ASKED_METHODS = frozenset({"_evaluate_stopping_criteria", "_should_skip_check"})
"""Methods that Lightning's ask of themselves, and the script's only where code asks, or has its own."""


SETS_UP = m.SimpleStatementLine(body=[m.Expr(m.Call(m.Attribute(m.Call(m.Name("super")), m.Name("setup"))))])


UPLOADING = frozenset({"MLFlowLogger", "WandbLogger"})
"""Loggers that may keep checkpoints too."""


@dataclass(frozen=True)
class LightningClasses:
    """Where the program names Lightning's callbacks and loggers."""

    nodes: tuple[tuple[cst.BaseExpression, str], ...] = ()  # with the name in Lightning's API
    calls: tuple[cst.Call, ...] = ()  # all that there are
    idle: tuple[cst.Call, ...] = ()  # of callbacks that the script does without
    constants: tuple[cst.Attribute, ...] = ()  # of the classes', such as `ModelCheckpoint.FILE_EXTENSION`
    asked: tuple[
        tuple[cst.BaseExpression, str], ...
    ] = ()  # whether callbacks are of such as the script does without
    stand_ins: tuple[tuple[cst.Call, str], ...] = ()  # for those that it does without, the script's classes
    nameless: tuple[
        cst.Attribute, ...
    ] = ()  # names of classes that are asked for, and that the script has none of
    entered: tuple[
        tuple[cst.BaseExpression, str], ...
    ] = ()  # in tables, of such as it does without; with the script's classes
    configured: tuple[tuple[cst.Call, str], ...] = ()  # what a configuration makes of them, as built

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for _, name in self.nodes)

    @property
    def translated(self) -> frozenset[cst.CSTNode]:
        named = {node for node, _ in (*self.nodes, *self.asked, *self.entered)}
        return frozenset({*named, *(call.func for call in self.idle), *self.constants})


def lightning_classes(project: Project, statements: Iterable[Statement]) -> LightningClasses:
    """The names of Lightning's callbacks and loggers in the statements."""
    index, nodes = project.index, [statement.node for statement in statements]
    names = [each for node in nodes for each in index.references(node)]
    known = [(each, name) for each in names if (name := project.lightning_name(each)) in KNOWN]
    known = [
        each for each in known if not (each[1] in OF_OWN_LOGGERS and index.ancestor(each[0], cst.Annotation))
    ]
    calls = [each for node in nodes for each in index.within(node, cst.Call)]
    idle = [each for each in calls if _is_idle(project, each)]
    classes: dict[cst.BaseExpression, str] = {node: name for node, name in known if name in api.CALLBACKS}
    attributes = [each for each in names if isinstance(each, cst.Attribute) and each.value in classes]
    constants = [each for each in attributes if each.attr.value in constants_of(classes[each.value])]
    questions = AskedDisplays(project, frozenset(idle))
    asked, named = dict(questions.named(names)), questions.names_asked()
    namesakes = {
        each: project.lightning_name(each.func) or "" for each in named if questions.is_namesake(each)
    }
    shown = [each for each in names if project.lightning_name(each) in api.DISPLAY_BASES]
    entered = filter(Entered(project).__contains__, shown)
    stand_ins = {each: stand_in(project.lightning_name(each.func), asked) for each in idle} | namesakes
    return LightningClasses(
        nodes=tuple(known),
        calls=tuple(each for each in calls if not is_checking(project, each)),
        idle=tuple(idle),
        constants=tuple(constants),
        asked=tuple(asked.items()),
        stand_ins=tuple(stand_ins.items()),
        nameless=tuple(
            dict.fromkeys(node for call in named.keys() - namesakes.keys() for node in named[call])
        ),
        entered=tuple((node, stand_in(project.lightning_name(node), asked)) for node in entered),
        configured=tuple(configured(project, calls, KNOWN)),
    )


def _is_idle(project: Project, call: cst.Call) -> bool:
    """Whether it makes what the script does without, wherever that goes: of profilers, for a Trainer of hydra's."""
    name = project.lightning_name(call.func)
    is_callback = name in api.IDLE_CALLBACKS | api.TUNING_CALLBACKS.keys()
    return is_callback or (name in api.IDLE_PROFILERS and not project.source.is_code(call))


@dataclass(frozen=True)
class CallbackFacts:
    """The callbacks of a program."""

    runtime: frozenset[str] = frozenset()  # of Lightning's, by name
    own: tuple[Class, ...] = ()  # the user's
    uses_steps: bool = False  # a ModelCheckpoint may save by steps or by time
    waits: bool = False  # such a one saves at the batch's end, as far as the program's own classes leave it
    is_given: bool = False  # the Trainer is told of callbacks
    supers: frozenset[str] = frozenset()  # what the user's ask of their bases
    nodes: tuple[tuple[cst.BaseExpression, str], ...] = ()  # where Lightning's are named
    graphs: tuple[cst.Arg, ...] = ()  # arguments that have a logger draw graphs
    uploads: tuple[cst.Arg, ...] = ()  # arguments that have a logger keep the checkpoints that are saved
    saves_failures: bool = False  # a ModelCheckpoint may save when a run fails
    made: tuple[Constructed, ...] = ()  # those of Lightning's of which it can be told how they are made
    loggers: tuple[Constructed, ...] = ()  # the same, of Lightning's loggers
    tells_loggers: bool = False  # of checkpoints, which some upload
    mentioned: frozenset[str] = frozenset()  # attributes of anything, in all of the program
    logs: tuple[
        cst.Attribute, ...
    ] = ()  # where the user's ask for the `log` or `log_dict` that Lightning lends them
    kept: tuple[Kept, ...] = ()  # what stays of those that are `made`
    assigned: frozenset[tuple[str, bool]] = (
        frozenset()
    )  # hooks of objects; whether of those that watch a metric
    may_share_states: bool = False  # two of one Trainer, under one key
    logged_step: str = "global_step"  # the trainer's field under which values are written
    step_varies: bool = False  # by models: it is another field for some
    keeps_saving: bool = False  # code makes a ModelCheckpoint that surely no Trainer is given

    @cached_property
    def lent(self) -> frozenset[str]:
        """Which of the model's `log` and `log_dict` callbacks call as their own."""
        return frozenset(node.attr.value for node in self.logs)

    def __bool__(self) -> bool:
        return self.is_given

    def hooks_of(self, name: str) -> frozenset[str]:
        """The hooks of one of Lightning's callbacks, as far as they do something here."""
        if name in self._kept:
            return self._kept[name].hooks
        hooks = api.CALLBACKS[name] - unasked_members(name, self.mentioned)
        if name == LAMBDAS:
            return hooks & self.told_hooks
        if name == "ModelCheckpoint" and not self.saves_failures:
            hooks -= {"on_exception"}
        if name == "ModelCheckpoint" and not self.uses_steps:
            return hooks - {"on_train_start", "on_train_batch_end"}
        return hooks

    @property
    def told_hooks(self) -> frozenset[str]:
        """Those that some LambdaCallback is given; all, where that cannot be told."""
        made = next((each for each in self.made if each.name == LAMBDAS), None)
        if made is None:
            return api.CALLBACK_HOOKS
        return frozenset(name for _, by_name in made.calls for name in by_name)

    @cached_property
    def _kept(self) -> dict[str, Kept]:
        return {each.name: each for each in self.kept}

    def reads_of(self, name: str) -> frozenset[str]:
        """What one of Lightning's reads of the trainer here."""
        reads = self._kept[name].reads if name in self._kept else trainer_reads(name)
        if "logged_step" not in reads:
            return reads
        return reads - ({"logged_step"} if not self.step_varies else set()) | {self.logged_step}

    @cached_property
    def monitoring(self) -> frozenset[str]:
        """The hooks of those that watch a metric."""
        found = {hook for name in self.runtime & api.MONITORING_CALLBACKS for hook in self.hooks_of(name)}
        found |= {name for name, watches in self.assigned if watches}
        return frozenset(found | _methods(cls for cls in self.own if is_monitoring(cls))) & api.CALLBACK_HOOKS

    @cached_property
    def others(self) -> frozenset[str]:
        """The hooks of the others."""
        found = {hook for name in self.runtime - api.MONITORING_CALLBACKS for hook in self.hooks_of(name)}
        found |= {name for name, watches in self.assigned if not watches}
        return (
            frozenset(found | _methods(cls for cls in self.own if not is_monitoring(cls)))
            & api.CALLBACK_HOOKS
        )

    @property
    def hooks(self) -> frozenset[str]:
        return (self.monitoring | self.others) if self.is_given else frozenset()

    @cached_property
    def loud_hooks(self) -> frozenset[str]:
        """Those of Lightning's in which code may run that draws random numbers, or changes what loaders read."""
        bases = {part for cls in self.own for part in cls.resolution_order if isinstance(part, str)}
        loud = self.runtime - (api.QUIET_CALLBACKS - bases)
        return self.hooks & {hook for name in loud for hook in self.hooks_of(name)}

    @property
    def has_state(self) -> bool:
        """Whether a checkpoint keeps something of one."""
        kept = any("state_dict" in members_of(name) for name in self.runtime - {"Callback"})
        return self.is_given and bool(kept or self.own_methods & {"state_dict", "on_load_checkpoint"})

    @property
    def own_methods(self) -> frozenset[str]:
        """The methods of the user's own."""
        return _methods(self.own)

    @property
    def trainer_fields(self) -> frozenset[str]:
        """What Lightning's own read of the trainer."""
        if not self.is_given:
            return frozenset()
        return frozenset({"callbacks"}).union(*map(self.reads_of, self.runtime))

    @property
    def changes_accumulation(self) -> bool:
        """Whether one changes how many batches make an optimizer step."""
        return self.is_given and bool(self.runtime & api.ACCUMULATING_CALLBACKS)

    @property
    def averages_late(self) -> bool:
        """Whether the weights of the last epochs are averaged, with a scheduler of their own, and maybe in one more."""
        return self.given("StochasticWeightAveraging")

    @property
    def copies_model(self) -> bool:
        """Whether one keeps a copy of the model."""
        return self.is_given and bool(self.runtime & api.COPYING_CALLBACKS)

    @property
    def asked_of_model(self) -> frozenset[str]:
        """Attributes of Lightning's that they read of the model."""
        return frozenset().union(*map(model_reads, self.runtime)) if self.is_given else frozenset()

    def given(self, name: str) -> bool:
        """Whether the Trainer may be given one of Lightning's."""
        return self.is_given and name in self.runtime

    @property
    def named(self) -> frozenset[str]:
        """Those of Lightning's that the program names, loggers among them."""
        return frozenset(name for _, name in self.nodes)

    @property
    def has_open_logs(self) -> bool:
        """Whether a logger keeps something back, or a run open, until it is told of the end."""
        return bool(self.named & {"CSVLogger", "MLFlowLogger", "CometLogger", "Logger"})

    @property
    def may_save_weights(self) -> bool:
        """Whether checkpoints may be saved without the state of the training."""
        kept = self._kept.get("ModelCheckpoint")
        decides = kept is None or kept.values.get("save_weights_only") != "False"
        return "save_checkpoint" in self.mentioned or (self.saves and decides)

    @property
    def saves(self) -> bool:
        """Whether one saves checkpoints."""
        return self.given("ModelCheckpoint") and not self.keeps_saving

    @property
    def saves_below_claimed(self) -> bool:
        """Whether it does so below the folder that the run has claimed."""
        return self._saving.get("is_in_claimed_folder") == "True"

    @property
    def saves_one_file(self) -> bool:
        """Whether what it saves there is always one file, of a known name."""
        return self._saving.get("keeps_one_file") == "True"

    @property
    def _saving(self) -> Mapping[str, str]:
        """What is known of the ModelCheckpoints that are made."""
        return self._kept["ModelCheckpoint"].values if "ModelCheckpoint" in self._kept else {}


NO_CALLBACKS = CallbackFacts()


def _class_variables(classes: Iterable[Class]) -> frozenset[str]:
    """What the bodies of classes set, as Lightning's own may do under the same names."""
    lines = (line for cls in classes for part in cls.lineage for line in part.node.body.body)
    set_there = (line for line in lines if isinstance(line, cst.SimpleStatementLine))
    return frozenset(name for line in set_there for name in bound_by(line))


def _methods(classes: Iterable[Class]) -> frozenset[str]:
    return frozenset(name for cls in classes for name in cls.methods)


def _may_set_up_alone(cls: Class) -> bool:
    """Whether its `setup`, if it has one, may not ask Lightning's."""
    methods = [part.own_methods["setup"] for part in cls.lineage if "setup" in part.own_methods]
    return not all(any(m.matches(each, SETS_UP) for each in method.body.body) for method in methods)


def is_monitoring(cls: Class) -> bool:
    return any(part in api.MONITORING_CALLBACKS for part in cls.resolution_order if isinstance(part, str))


def is_callback(cls: Class) -> bool:
    """Whether a class of the user's is a callback."""
    return any(part in api.CALLBACKS for part in cls.resolution_order if isinstance(part, str))


def own_logs(index: Index, cls: Class) -> Iterator[cst.Attribute]:
    """Where a callback asks for the `log` or `log_dict` that Lightning lends it."""
    wanted = m.Attribute(m.Name("self"), m.Name("log") | m.Name("log_dict"))
    for method in cls.methods.values():
        for node in index.within(method, cst.Attribute):
            is_set = isinstance(index.parent(node), cst.AssignTarget | cst.AnnAssign)
            if m.matches(node, wanted) and node.attr.value not in cls.methods and not is_set:
                yield node


def callback_facts(
    project: Project,
    statements: Iterable[Statement],
    found: LightningClasses,
    model: Class,
    trainers: Iterable[cst.Call],
    asks_trainer: bool,
) -> CallbackFacts:
    """The callbacks of the statements; whether a main `asks_trainer` for them."""
    classes = [cls for statement in statements for cls in project.classes_in(statement)]
    own = tuple(cls for cls in classes if is_callback(cls))
    own_saving = [cls for cls in own if "ModelCheckpoint" in cls.resolution_order]
    own_saves = bool(own_saving)
    saving = list(_calls_of("ModelCheckpoint", found))
    uses_steps = own_saves or any(map(_may_save_by_steps, saving))
    return CallbackFacts(
        runtime=found.names & api.CALLBACKS.keys(),
        own=own,
        uses_steps=uses_steps,
        waits=uses_steps and not any(map(_saves_itself, own_saving)),
        is_given=asks_trainer
        or "configure_callbacks" in model.methods
        or any(map(gives_callbacks, trainers)),
        nodes=found.nodes,
        graphs=_asking("log_graph", "TensorBoardLogger", found),
        uploads=tuple(arg for name in UPLOADING for arg in _asking("log_model", name, found)),
        saves_failures=own_saves or any(map(_may_save_failures, saving)),
        made=tuple(_all_made(own, found)),
        loggers=tuple(made for name in sorted(found.names & api.LOGGERS) if (made := _made(name, found))),
        tells_loggers=_uploads(found) or any("after_save_checkpoint" in cls.methods for cls in classes),
        mentioned=attributes_in("\n".join(each.code for each in statements))
        | members_by_name(project)
        | (_methods(own) & ASKED_METHODS)
        | _class_variables(own)
        | ({OWN_SETUP} if any(map(_may_set_up_alone, own)) else set()),
        logs=tuple(node for cls in own for node in own_logs(project.index, cls)),
    )


def with_kept(
    callbacks: CallbackFacts,
    hooks: frozenset[str],
    told: Mapping[str, str],
    states: Mapping[str, str],
    asks_for_last: bool,
) -> CallbackFacts:
    """With what stays of Lightning's, where some `hooks` are called, and what the trainer says is `told`.

    `states` are attributes of theirs whose values are known when they are read.
    """
    called = hooks if callbacks.is_given else frozenset()
    saved = api.CALLBACK_STATES if callbacks.has_state else frozenset()
    mentioned = callbacks.mentioned | saved | ({"last_checkpoints"} if asks_for_last else set())
    states = {**({} if callbacks.tells_loggers else {"tells_loggers": "False"}), **states}
    states |= {} if callbacks.saves_failures else {"_is_alone": "False"}
    kept = (
        kept_of(made, called & api.CALLBACKS[made.name], mentioned, told, states)
        for made in callbacks.made
        if made.name != LAMBDAS
    )
    return replace(callbacks, kept=tuple(kept))


def with_made(callbacks: CallbackFacts, name: str, *given: str) -> CallbackFacts:
    """The callbacks, with one of Lightning's that the script makes, and what it is given."""
    names = {name for _, name in callbacks.nodes}
    made = {each.name: each for each in callbacks.made}
    if name in made or name not in names | _told(names):
        calls = made[name].calls if name in made else ()
        made[name] = Constructed(name, (*calls, (given, {})))
    return replace(
        callbacks,
        runtime=callbacks.runtime | {name},
        is_given=True,
        made=tuple(made[name] for name in sorted(made)),
    )


def _told(names: Iterable[str]) -> set[str]:
    """Callbacks that others make use of: loggers upload what a ModelCheckpoint saves."""
    return set() if UPLOADING.isdisjoint(names) else {"ModelCheckpoint"}


def _uploads(found: LightningClasses) -> bool:
    """Whether a logger may upload checkpoints."""
    return bool(found.names & UPLOADING)


def _all_made(own: Iterable[Class], found: LightningClasses) -> Iterator[Constructed]:
    """Those of Lightning's of which it can be told how they are made, and that nothing else makes use of."""
    bases = {part for cls in own for part in cls.resolution_order if isinstance(part, str)}
    for name in sorted((found.names & api.CALLBACKS.keys()) - bases - _told(found.names)):
        if base_of(name) is None and (made := _made(name, found)):
            yield made


def _made(name: str, found: LightningClasses) -> Constructed | None:
    """What a class of Lightning's is given when it is made; None: that cannot be told."""
    calls = list(_calls_of(name, found))
    is_called = len(calls) == sum(called == name for _, called in found.nodes)
    is_configured = any(called == name for _, called in found.configured)
    is_open = any(argument.star for call in calls for argument in call.args)
    if not calls or not is_called or is_configured or is_open:
        return None
    return Constructed(name, tuple(map(_passed, calls)))


def _passed(call: cst.Call) -> tuple[tuple[str, ...], dict[str, str]]:
    """What a call passes, by place and by name."""
    by_name = {argument.keyword.value: code_of(argument.value) for argument in call.args if argument.keyword}
    return tuple(code_of(argument.value) for argument in call.args if not argument.keyword), by_name


def gives_callbacks(trainer: cst.Call) -> bool:
    """Whether a Trainer is told of callbacks."""
    gives = m.Arg(keyword=m.Name("callbacks"), value=~m.Name("None"))
    return any(m.matches(argument, gives) for argument in trainer.args)


def _calls_of(name: str, found: LightningClasses) -> Iterator[cst.Call]:
    functions = {node for node, called in found.nodes if called == name}
    yield from (call for call in found.calls if call.func in functions)
    yield from (call for call, called in found.configured if called == name)


def _may_save_by_steps(call: cst.Call) -> bool:
    """Whether a ModelCheckpoint may be told to save by steps or by time."""
    by_name = {argument.keyword.value for argument in call.args if argument.keyword}
    is_open = any(argument.star for argument in call.args) or len(call.args) - len(by_name) > 10
    return is_open or not by_name.isdisjoint(BY_STEPS)


def _saves_itself(cls: Class) -> bool:
    """Whether a ModelCheckpoint of the user's changes when it saves, or how."""
    hooks = {*api.CALLBACKS["ModelCheckpoint"]} - {"setup"}  # before anything is saved
    return any(name in hooks or name.startswith("_save") for name in cls.methods)


def _asking(option: str, logger: str, found: LightningClasses) -> tuple[cst.Arg, ...]:
    """Where a logger is given an option, and not to turn it off."""
    asks = m.Arg(keyword=m.Name(option), value=~m.Name("False"))
    calls = _calls_of(logger, found)
    return tuple(argument for call in calls for argument in call.args if m.matches(argument, asks))


def _may_save_failures(call: cst.Call) -> bool:
    by_name = {argument.keyword.value for argument in call.args if argument.keyword}
    is_open = any(argument.star for argument in call.args) or len(call.args) - len(by_name) > 7
    return is_open or not by_name.isdisjoint(ON_FAILURE)


def with_classes(rewrites: Rewrites, found: LightningClasses, callbacks: CallbackFacts) -> Rewrites:
    """The rewrites, and the script's classes for Lightning's; callbacks that only show something do nothing."""
    idle = tuple(Rewrite(call, name, ()) for call, name in found.stand_ins)
    folded = frozenset(each for kept in callbacks.kept for each in _folded(kept, found))
    return replace(
        rewrites,
        calls=rewrites.calls + idle,
        names=(*found.nodes, *found.entered, *((node, api.STAND_INS[name]) for node, name in found.asked)),
        keeps_places="callbacks" in callbacks.mentioned,  # which may be asked for by their numbers
        folded=folded,
    )


def _folded(kept: Kept, found: LightningClasses) -> Iterator[cst.Arg]:
    """The arguments that a class is passed, but has in it."""
    for call in _calls_of(kept.name, found):
        for name, argument in zip(fields_of(kept.name), call.args, strict=False):
            if (argument.keyword.value if argument.keyword else name) in kept.folded:
                yield argument
