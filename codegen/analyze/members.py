"""The members of the runtime's classes that the user's code asks for."""

from __future__ import annotations

from .. import lightning_api as api
from ..script import LOGS
from .facts import Facts
from .own_main import OwnMain
from .stages import STAGES


def callback_members(facts: Facts) -> frozenset[str]:
    """The members of Callback that the script uses."""
    uncalled = api.EVALUATION_HOOKS - called_hooks(facts.own_main)
    return (
        (facts.callbacks.hooks - uncalled)
        | facts.callbacks.supers
        | facts.callbacks.lent
        | ({"last_checkpoints"} if facts.asks_callbacks else frozenset())
        | (api.CALLBACK_STATES if facts.callbacks.has_state else frozenset())
    )


def module_members(facts: Facts) -> frozenset[str]:
    """The members of TrainModule that the model uses, of itself or through `super()`."""
    own = facts.usage.own_names(facts.model)
    wanted = {name for name in facts.usage.reads if name not in own}
    wanted |= {name for name in facts.usage.supers if name != "__init__"}
    wanted &= api.MEMBERS | api.HOOKS | api.EVALUATION_HOOKS
    if facts.manual and facts.manual.toggles_model:
        wanted |= {"toggled_optimizer"}
    wanted |= {"device"} if "all_gather" in wanted else set()
    wanted |= {"trainer"} if facts.has_trainer else set()
    wanted |= {"automatic_optimization"} if facts.optimizes_by_value else set()
    wanted |= {"device"} if facts.callbacks.given("LearningRateMonitor") else set()
    wanted |= facts.callbacks.lent - own
    wanted |= {LOGS} if facts.logging.calls or facts.reads_callback_metrics else set()
    wanted |= (
        {"hparams"}
        if "hparams" in facts.usage.writes or "save_hyperparameters" in facts.usage.reads
        else set()
    )
    if "load_from_checkpoint" in facts.project.source.text:
        wanted |= {"load_from_checkpoint", "configure_model", "on_load_checkpoint"} - own
    return frozenset(wanted - {"save_hyperparameters"})


def called_hooks(own: OwnMain | None) -> frozenset[str]:
    """The hooks and steps of what the user's own main runs beside training."""
    methods = {call.method for call in own.evaluations} if own else set()
    return frozenset(hook for method in methods for hook in STAGES[method].called)
