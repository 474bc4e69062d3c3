"""The members of the runtime's classes that the user's code asks for."""

from __future__ import annotations

from itertools import dropwhile

import libcst as cst

from ..index import Index
from ..ir.plans import LOGS
from ..ir.project import Class, Project
from ..lightning import api
from ..values import ValueSet, values_of
from .code.stages import STAGES
from .code.usage import LOGGING, Usage
from .conditional_names import holding
from .facts import Facts
from .hyperparameters.save_hyperparameters import saves_hyperparameters
from .main.own_main import OwnMain
from .model.assigned import LOADERS, GivenByCalls
from .trainer.methods import FitCall

NEEDED_TO_LOAD = frozenset({"load_from_checkpoint", "configure_model", "on_load_checkpoint"})
"""What a class needs to be made from a checkpoint."""


def callback_members(facts: Facts) -> frozenset[str]:
    """The members of Callback that the script uses."""
    callbacks, uncalled = facts.callbacks, api.EVALUATION_HOOKS - called_hooks(facts.own_main)
    asked = holding(
        {
            "last_checkpoints": facts.asks_callbacks,
            **dict.fromkeys(api.CALLBACK_STATES, callbacks.has_state),
            "_generate_state_key": "_generate_state_key" in callbacks.mentioned,
        }
    )
    return (callbacks.hooks - uncalled) | callbacks.supers | callbacks.lent | asked


def module_members(facts: Facts) -> frozenset[str]:
    """The members of TrainModule that the model uses, of itself or through `super()`."""
    usage, own, used = facts.usage, facts.own_names, set[str]()
    for cls, of_class in facts.usages.items():
        used |= _used(of_class, cls, facts.project.index) | facts.hooks - cls.methods.keys()
    saves = any(saves_hyperparameters(facts.project, each) for each in facts.served.models)
    asked = holding(
        {
            "toggled_optimizer": facts.manual is not None and facts.manual.toggles_model,
            "device": bool(api.ON_DEVICE & used) or "device" in facts.callbacks.asked_of_model,
            "__getstate__": facts.has_trainer and facts.copies_model,
            "trainer": facts.has_trainer,
            "works_alone": facts.works_alone,
            "strict_loading": facts.loads_in_part,
            "follows_loaded": facts.loads_elsewhere,
            api.OF_MESH: facts.shares_itself,
            "automatic_optimization": facts.optimizes_by_value,
            LOGS: facts.logs_somewhere or facts.reads_callback_metrics,
            "hparams_initial": saves and facts.keeps_initial_hparams,
            "hparams": "hparams" in usage.writes or saves,
        }
    )
    besides = facts.callbacks.lent | (NEEDED_TO_LOAD if facts.loads_checkpoints else frozenset())
    if "dtype" in usage.parts or ({"device", "dtype"} & (asked | used) and facts.moves_model):
        asked |= {"_apply"}
    replaced = {"save_hyperparameters", *(["log"] if facts.logs_by_attribute else [])}
    if not facts.logs_somewhere:
        replaced |= LOGGING - facts.callbacks.lent  # the methods that would log are not called
    return (asked | used | besides - own) - replaced


def _used(usage: Usage, model: Class, index: Index) -> set[str]:
    """What a model asks of itself, and the script's own class has."""
    asked = usage.reads.keys() - usage.own_names(model) | usage.parts.keys()
    inherited = {
        name
        for name, nodes in usage.supers.items()
        if any(not _finds_own(node, model, index) for node in nodes)
    }
    return asked & (api.MEMBERS | api.ALL_HOOKS) | inherited & (api.MEMBERS | api.ALL_HOOKS | api.IDLE_STEPS)


def _finds_own(node: cst.Attribute, model: Class, index: Index) -> bool:
    """Whether `super().name` finds a method of the user's."""
    asking = index.class_of(node)
    _, *above = [*dropwhile(lambda part: part.node is not asking, model.lineage)] or [model]
    return any(node.attr.value in part.own_methods for part in above)


def data_members(facts: Facts) -> frozenset[str]:
    """The members of DataModule that the data uses."""
    asked = {"trainer"} if facts.data_usage.asks_for_trainer else set()
    asked |= {"load_from_checkpoint"} if facts.loads_data else set()
    saves = any(saves_hyperparameters(facts.project, each) for each in facts.served.data)
    keeps_initial = (saves and facts.keeps_initial_hparams) or "hparams_initial" in facts.data_usage.reads
    asked |= facts.calls_of_data | holding({"hparams_initial": keeps_initial})
    return frozenset(facts.data_usage.supers) - {"__init__"} | asked if facts.data else frozenset()


def called_hooks(own: OwnMain | None) -> frozenset[str]:
    """The hooks and steps of what the user's own main runs beside training."""
    methods = {call.method for call in own.evaluations} if own else set()
    return frozenset(hook for method in methods for hook in STAGES[method].called)


def given_loaders(project: Project, own: OwnMain | None) -> GivenByCalls:
    """The loaders that Lightning asks no model for, as each call of the user's own main gives them."""
    calls = (*own.every_fit, *own.evaluations) if own else ()
    asked = {("fit", f"{name}_dataloaders", f"{name}_dataloader") for name in ("train", "val")}
    asked |= {(stage.method, "dataloaders", stage.loader) for stage in STAGES.values()}
    lacking, maybe_lacking = set[str](), set[str]()
    for method, argument, loader in asked:
        given = [_given(project, call, argument) for call in calls if call.method == method]
        if None in given:
            lacking.add(loader)
        elif any(each.may_be_none for each in given if each is not None):
            maybe_lacking.add(loader)
    # a training without a loader for validation goes on
    unsure = frozenset(maybe_lacking - lacking - {"val_dataloader"})
    return GivenByCalls(LOADERS - lacking - maybe_lacking, unsure) if calls else GivenByCalls()


def _given(project: Project, call: FitCall, argument: str) -> ValueSet | None:
    """What a call surely gives an argument; None: it does not, or it is None."""
    value = call.expression(argument)
    if value is None or call.mapped.get(argument):
        return None
    found = values_of(project).of(value)
    return None if found.may_be_none and not found.without_none.values else found
