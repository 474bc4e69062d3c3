"""What the script's Trainer holds."""

from __future__ import annotations

from .. import lightning_api as api
from ..script import (
    Lines,
    TrainerPlan,
)
from . import loop
from .config_plan import has_log_interval
from .facts import Facts


def trainer_plan(facts: Facts, takes_checkpoint: bool) -> TrainerPlan | None:
    """What the script's Trainer holds, in a function that may take a checkpoint; None: the code reads nothing of it."""
    if not facts.has_trainer:
        return None
    settings_ = facts.settings
    values = {
        "max_epochs": _max_epochs(facts),
        "max_steps": "config.max_steps" if facts.has_max_steps else "-1",
        "accumulate_grad_batches": loop.ACCUMULATE if facts.sets_accumulation else "1",
        "log_every_n_steps": (
            "config.log_every_n_steps" if has_log_interval(facts) else str(settings_.log_every_n_steps)
        ),
        "gradient_clip_val": "config.gradient_clip_val" if settings_.gradient_clip_val else "None",
        "gradient_clip_algorithm": facts.setting_code("gradient_clip_algorithm"),
        "default_root_dir": "str(config.out)",
        "check_val_every_n_epoch": (
            "config.check_val_every_n_epoch"
            if (settings_.check_val_every_n_epoch or 1) > 1 and facts.has_validation
            else str(settings_.check_val_every_n_epoch)
        ),
        "val_check_interval": facts.setting_code("val_check_interval"),
        "ckpt_path": "ckpt_path" if takes_checkpoint and not facts.callbacks.saves else "None",
        "world_size": "ranks.world_size",
        "global_rank": "ranks.rank",
        "datamodule": "data" if facts.data else "None",
        "callback_metrics": "model",
        "model": "model",
        "loggers": "default_loggers(config.out)",
    }
    if facts.own_main or not facts.given_loggers.has_default:
        del values["loggers"]
    names = {"callback_metrics": "model"}  # of which they are asked
    told = {
        names.get(name, name): code
        for name, code in values.items()
        if name in facts.trainer_fields and TRAINER_DEFAULTS.get(name) != code
    }
    members = {
        *facts.trainer_fields,
        *{*facts.usage.trainer, *facts.data_usage.trainer} & api.TRAINER_MEMBERS,
        *facts.callbacks.trainer_fields,
    }
    own_callbacks: Lines = ()
    if facts.has_hook("configure_callbacks"):
        own_callbacks = (
            "trainer.callbacks = with_model_callbacks(trainer.callbacks, model.configure_callbacks())",
        )
    own_callbacks += _lent_logs(facts)
    if facts.own_main:
        told_lines = (f"trainer.{name} = {code}" for name, code in told.items())
        start = ("model.trainer = trainer", *told_lines, *own_callbacks)
        return TrainerPlan(start, frozenset({*members, "config"}))
    variable = "trainer = " if _updates_trainer(facts) else ""
    arguments = ", ".join(f"{name}={code}" for name, code in told.items())
    start = (f"{variable}model.trainer = Trainer({arguments})", *own_callbacks)
    return TrainerPlan(start, frozenset(members))


def _lent_logs(facts: Facts) -> Lines:
    """Give callbacks what they log with."""
    if not (facts.callbacks and facts.callbacks.lent):
        return ()
    lent = (f"    callback.{name} = model.{name}" for name in sorted(facts.callbacks.lent))
    return ("for callback in trainer.callbacks:", *lent)


def _max_epochs(facts: Facts) -> str:
    if not loop.has_max_epochs(facts):
        return "1000 if config.max_steps == -1 else -1" if loop.has_open_end(facts) else "-1"
    if facts.is_expression("max_epochs") and facts.has_max_steps:
        return "-1 if config.max_epochs is None else config.max_epochs"
    return "config.max_epochs"


TRAINER_DEFAULTS = {"ckpt_path": "None", "check_val_every_n_epoch": "1", "val_check_interval": "1.0"}
"""What the script's Trainer says anyway."""


def _updates_trainer(facts: Facts) -> bool:
    """Whether `fit` does more with its Trainer than to make it."""
    changing = {"current_epoch", "global_step", "num_training_batches", "estimated_stepping_batches"}
    changing |= {"optimizers", "counted_optimizers", "schedulers", "shared"}
    changing |= {"train_dataloader", "val_dataloaders"}
    changing |= {"stage"} if facts.has_validation else set()
    changing |= {"sanity_checking"} if loop.checks_sanity(facts) else set()
    return bool(changing & facts.trainer_fields or facts.callbacks) or (
        facts.data is not None and "trainer" in facts.data_usage.reads
    )
