"""What takes the place of calls and attributes in a main that stays the user's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...ir.plans import ConfigGroup
from ...ir.project import Project
from ...ir.rewrites import OBJECT, HandedOn, Rewrite, Rewrites, Slot
from ...spec.load import LoadedSpec
from ...values import BoundMethod, Class, Function, values_of
from ..callbacks.default_checkpoint import DefaultCheckpoint
from ..checkpoint_io import WEIGHTS_ONLY
from ..code.literals import code_of
from ..hyperparameters.saved_outside import saving_rewrites
from ..lightning.trainer_parts import PARTS, Whole, checked_name, sets_up_optimizers
from ..logging.writers import NOTHING
from ..trainer.arguments import Argument
from ..trainer.main_settings import object_slot, trainer_rewrite
from ..trainer.methods import FitCall, HandedMethod
from ..trainer.precision import PrecisionFacts
from ..trainer.set_settings import settings_rewrites
from .evaluations import Evaluation
from .init_module import contexts
from .max_epochs import epochs_rewrites
from .own_main import OF_RANKS, OwnMain
from .run_order import LOOPS, RunOrder
from .seeds import seed_rewrite

ALONE = cst.Assign | cst.AnnAssign | cst.Arg | cst.DictElement | cst.Element | cst.Return
"""What an expression may stand in that has no brackets."""


def fit_rewrite(call: FitCall, main: OwnMain) -> Rewrite:
    """`trainer.fit(model, ...)` as a call of the script's `fit`."""
    place = {name: index for name, (index, _) in call.arguments.items() if call.expression(name) is not None}
    slots = [_model(call, main)] if "model" in place else []
    slots += [call.slot("datamodule")] if main.class_of("data") and "datamodule" in place else []
    if main.has_both and "train_dataloaders" in place:
        beside = (Slot(None, place["val_dataloaders"]),) if "val_dataloaders" in place else ()
        slots.append(Slot(None, place["train_dataloaders"], wrapper="GivenLoaders", beside=beside))
    slots.append(Slot(None, OBJECT))
    slots += [Slot(None, place["train_dataloaders"])] if main.gives_train else []
    if main.gives_val and not main.has_both:
        none = Slot(None, OBJECT, code="None")
        slots.append(Slot(None, place["val_dataloaders"]) if "val_dataloaders" in place else none)
    slots += [call.slot(name, name) for name in ("ckpt_path", WEIGHTS_ONLY) if name in place]
    return Rewrite(call.node, "fit", tuple(slots))


def fit_in_order(project: Project, call: FitCall, main: OwnMain, has_trainer: bool) -> Rewrite:
    """The same, with its arguments made in their order."""
    data = ["data"] if main.class_of("data") or main.has_both else []
    loaders = ["train_loader"] if main.gives_train else []
    names = ["model", *data, "trainer" if has_trainer else "config", *loaders, "val_loader"]
    return _in_order(project, fit_rewrite(call, main), names)


def _without(rewrite: Rewrite, keyword: str) -> Rewrite:
    return replace(rewrite, arguments=tuple(each for each in rewrite.arguments if each.keyword != keyword))


def _in_order(project: Project, rewrite: Rewrite, names: list[str]) -> Rewrite:
    """Where it may matter in which order arguments are made, they keep theirs, by the names of the parameters."""
    slots = rewrite.arguments
    if _is_order_kept(project, rewrite.node, slots):
        return rewrite
    named = [replace(each, keyword=each.keyword or name) for each, name in zip(slots, names, strict=False)]
    return replace(rewrite, arguments=tuple(sorted((*named, *slots[len(names) :]), key=_made_at)))


def _made_at(slot: Slot) -> int:
    """When a slot's argument is made: what has the method first."""
    return -1 if slot.place == OBJECT else slot.place


def _is_order_kept(project: Project, call: cst.Call, slots: tuple[Slot, ...]) -> bool:
    """Whether what acts when it is made, of the arguments and of what has the method, is made in the same order."""
    func = call.func
    acting = []
    for slot in (each for each in slots if not each.code and isinstance(func, cst.Attribute)):
        made = (
            cst.ensure_type(func, cst.Attribute).value
            if slot.place == OBJECT
            else call.args[slot.place].value
        )
        acting += [slot] if _acts(project, made) else []
    return acting == sorted(acting, key=_made_at)


def _acts(project: Project, node: cst.BaseExpression) -> bool:
    """Whether code of the user's runs when something is made, but for objects that a Trainer is given."""
    values = values_of(project)
    trainers = project.lightning_name(node.func) == "Trainer" if isinstance(node, cst.Call) else False
    kinds = (Function, BoundMethod) if trainers else (Function, BoundMethod, Class)
    calls = project.index.within(node, cst.Call)
    return any(isinstance(each, kinds) for one in calls for each in values.callees(one))


def _model(call: FitCall, main: OwnMain) -> Slot:
    """The model, by itself where it may be compiled."""
    return replace(call.slot("model"), wrapper="with_compiled_steps" if call.node in main.compiled else None)


def evaluation_rewrite(call: FitCall, evaluation: Evaluation, main: OwnMain) -> Rewrite:
    """`trainer.test(model, ...)` as a call of the script's `test`."""
    place = {name: index for name, (index, _) in call.arguments.items() if call.expression(name) is not None}
    lent = Slot(None, OBJECT, attribute="model")
    slots = [_model(call, main) if "model" in place else lent]
    slots += [call.slot("datamodule")] if "datamodule" in place else []
    other = "{GivenLoaders}(None)" if evaluation.may_lack_data else ""
    slots += [Slot(None, OBJECT, attribute="datamodule", fallback=other)] if evaluation.keeps_data else []
    slots.append(Slot(None, OBJECT))
    slots += [Slot(None, place["dataloaders"])] if "dataloaders" in place else []
    if "model" not in place and "ckpt_path" not in place:
        slots.append(Slot("ckpt_path", OBJECT, code='"best"'))
    named = ("ckpt_path", WEIGHTS_ONLY, "verbose", "return_predictions")
    slots += [call.slot(name, name) for name in named if name in place]
    return Rewrite(call.node, evaluation.function, tuple(slots))


def evaluation_in_order(
    project: Project, call: FitCall, evaluation: Evaluation, main: OwnMain, has_trainer: bool
) -> Rewrite:
    """The same, with its arguments made in their order."""
    has_data = evaluation.keeps_data or call.expression("datamodule") is not None
    data, trainer = ["data"] if has_data else [], "trainer" if has_trainer else "config"
    loader = [evaluation.loader.hook] if call.expression("dataloaders") is not None else []
    return _in_order(project, evaluation_rewrite(call, evaluation, main), ["model", *data, trainer, *loader])


def stop_rewrite(call: cst.Call, why: str) -> Rewrite:
    """The error in the place of a call that Lightning stops at."""
    return Rewrite(call, "stop", (Slot(None, OBJECT, code=repr(why)),))


def logger_slot(project: Project, assignment: cst.Assign) -> Slot:
    """How loggers are set of a Trainer that is made: as a list."""
    if m.matches(assignment.value, NOTHING | m.Name("None")):
        return Slot("loggers", 0, code="[]")
    return object_slot(project, Argument("logger", cst.Arg(assignment.value), 0))


def rewrites(
    project: Project,
    main: OwnMain,
    spec: LoadedSpec,
    config: Iterable[ConfigGroup],
    trainer_fields: frozenset[str],
    has_default_logger: bool,
    evaluations: Iterable[Evaluation],
    stopping: Mapping[cst.Call, str],
    maker: str,
    checkpoint: DefaultCheckpoint,
    replaced: frozenset[str],
    is_remote: bool,
    asks_for_workers: bool,
    precision: PrecisionFacts,
    is_told_device: bool,
    takes_weights_only: bool,
) -> Rewrites:
    """All that changes in the main; settings that are `replaced` are no more set there."""
    fields = frozenset(field.name for group in config for field in group.fields) - replaced
    calls = [
        trainer_rewrite(
            project, call, fields, spec, trainer_fields, has_default_logger, maker, is_remote, checkpoint
        )
        for call in main.trainers
    ]
    calls += [seed_rewrite(project, call, asks_for_workers) for call in main.seeds]
    calls += [
        fit_in_order(project, call, main.serving(call), bool(trainer_fields))
        for call in main.every_fit
        if not call.taken
    ]
    calls += [stop_rewrite(call, why) for call, why in stopping.items()]
    calls += saving_rewrites(project)
    evaluated = [(call, each) for each in evaluations for call in each.calls]
    calls += [
        evaluation_in_order(project, call, each, main, bool(trainer_fields))
        for call, each in evaluated
        if not call.taken
    ]
    of_ranks = [
        (node, _as_operand(project.index, node, code))
        for name, code in OF_RANKS.items()
        for node in main.attributes.get(name, ())
    ]
    calls = calls if takes_weights_only else [_without(each, WEIGHTS_ONLY) for each in calls]
    loggers = tuple((each, logger_slot(project, each)) for each in main.set_loggers.assignments)
    kind = ".config.accelerator" if trainer_fields else ".accelerator"
    others = (
        *of_ranks,
        *main.left_out,
        *main.ending,
        *contexts(project, main, precision, kind if is_told_device else ""),
        *epochs_rewrites(project.index, main),
        *(settings_rewrites(main.settings_asked) if trainer_fields else ()),
        *((each.node, str(each.holds)) for each in main.signature_tests),
    )
    handed = tuple(_handed_on(project, main, each, evaluated) for each in main.handed)
    return Rewrites(tuple(calls), others, loggers=loggers, handed=handed)


STATEMENTS = (
    cst.Arg,
    cst.Assert,
    cst.Assign,
    cst.BooleanOperation,
    cst.If,
    cst.IfExp,
    cst.Return,
    cst.UnaryOperation,
)
"""What a comparison may stand in as it is."""


def _as_operand(index: Index, node: cst.CSTNode, code: str) -> str:
    """The code, so that what it stands in takes it as a whole."""
    is_whole = "==" not in code or isinstance(index.parent(node), STATEMENTS)
    return code if is_whole else f"({code})"


def _handed_on(
    project: Project, main: OwnMain, handed: HandedMethod, evaluated: list[tuple[FitCall, Evaluation]]
) -> HandedOn:
    """The functions in the place of a method that is called by another name."""
    index = project.index
    functions = [(method, _of_method(main, handed, method, evaluated)) for method in handed.methods]
    stands_alone = isinstance(index.parent(handed.node), ALONE)
    return HandedOn(
        handed.node,
        tuple(functions),
        not _is_steady(project, handed.trainer),
        not stands_alone,
        handed.name is not None,
    )


def _of_method(
    main: OwnMain, handed: HandedMethod, method: str, evaluated: list[tuple[FitCall, Evaluation]]
) -> Rewrite:
    """The call of the script's that takes the place of one of a method, with the parameters of it that calls give."""
    calls = (each for each in (*main.every_fit, *main.evaluations) if each.taken and each.method == method)
    call = next(calls)
    own = replace(call, node=_call_of(handed.trainer, method, call.taken))
    of_call = [evaluation for each, evaluation in evaluated if each is call]
    return evaluation_rewrite(own, of_call[0], main) if of_call else fit_rewrite(own, main.serving(call))


@lru_cache
def _call_of(trainer: cst.BaseExpression, method: str, taken: tuple[str, ...]) -> cst.Call:
    """A call of a trainer's method: the same object for all models, whose rewrites are compared."""
    return cst.Call(cst.Attribute(trainer, cst.Name(method)), [cst.Arg(cst.Name(name)) for name in taken])


def counterpart_rewrites(
    counterparts: Mapping[Whole, str],
) -> tuple[tuple[cst.BaseExpression, str], ...]:
    """What is asked of the trainer's loops and of its strategy, asked of the trainer itself."""
    found = [(node, _trainer_of(node), name) for node, name in counterparts.items()]
    return tuple((node, f"{code_of(trainer)}.{name}{_checked(node)}") for node, trainer, name in found)


def _checked(node: Whole) -> str:
    if sets_up_optimizers(node):
        return "()"
    return f" {checked_name(node)}" if isinstance(node, cst.Call) else ""


def _trainer_of(node: Whole) -> cst.BaseExpression:
    call = node if isinstance(node, cst.Call) else node.value
    value = call.args[0].value if isinstance(call, cst.Call) else call
    value = node.func if isinstance(node, cst.Call) and sets_up_optimizers(node) else value
    while isinstance(value, cst.Attribute) and value.attr.value not in PARTS:
        value = value.value
    return cst.ensure_type(value, cst.Attribute).value


def _is_steady(project: Project, trainer: cst.BaseExpression) -> bool:
    """Whether a variable goes on holding the same Trainer."""
    bindings = project.index.bindings(trainer) if isinstance(trainer, cst.Name) else []
    order = RunOrder(project)
    plain = (cst.Assign, cst.AnnAssign, cst.Param)
    return len(bindings) == 1 and all(
        isinstance(each.by, plain) and not order.around(each.by, LOOPS) for each in bindings
    )
