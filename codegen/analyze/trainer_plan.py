"""What the script's Trainer holds."""

from __future__ import annotations

from collections.abc import Mapping

from .. import lightning_api as api
from ..ir.plans import MODEL, Lines, TrainerPlan
from ..runtime.constructed import fields_of
from .config_plan import has_log_interval
from .facts import Facts
from .training_length import ACCUMULATE, has_max_epochs, has_open_end
from .validation_loader import checks_sanity

ASKED_OF = {"callback_metrics": "model"}
"""Fields that are another's."""


def trainer_plan(facts: Facts, takes_checkpoint: bool, has_data: bool = True) -> TrainerPlan | None:
    """What the script's Trainer holds, in a function that may take a checkpoint; None: the code reads nothing of it."""
    if not facts.has_trainer:
        return None
    told, members = _told(facts, takes_checkpoint, has_data), _members(facts)
    if facts.own_main:
        own: dict[str, str] = {each: told.pop(each) for each in ("datamodule", "ckpt_path") if each in told}
        attach = ("model.trainer = trainer", *_set(told), *_callback_lines(facts))
        return _attaching(facts, attach, _set(own), members | {"config"})
    if makes_trainer(facts):
        return TrainerPlan(("model.trainer = trainer", *_set(told), *_callback_lines(facts)), members)
    variable = "trainer = " if _updates_trainer(facts) else ""
    arguments = ", ".join(f"{name}={code}" for name, code in told.items())
    return TrainerPlan((f"{variable}model.trainer = Trainer({arguments})", *_callback_lines(facts)), members)


def makes_trainer(facts: Facts) -> bool:
    """Whether the script's `main` makes the Trainer, with objects that the spec describes."""
    return facts.own_main is None and facts.project.spec_trainer is not None


def _set(told: Mapping[str, str]) -> Lines:
    return tuple(f"trainer.{name} = {code}" for name, code in told.items())


def _attaching(facts: Facts, attach: Lines, own: Lines, members: frozenset[str]) -> TrainerPlan:
    """What several functions have in common is a function, unless it is short."""
    functions = facts.trains + len(facts.evaluations)
    if functions < 2 or len(attach) < 3:
        return TrainerPlan((*attach, *own), members)
    text = "\n".join(attach)
    parameters = (f"model: {MODEL}", "trainer: Trainer", *(["ranks: Ranks"] if "ranks." in text else []))
    config = ("config = trainer.config",) if "config." in text else ()
    call = f"attach({', '.join(each.partition(':')[0] for each in parameters)})"
    return TrainerPlan((call, *own), members, parameters, (*config, *attach))


def _members(facts: Facts) -> frozenset[str]:
    read = {*facts.usage.trainer, *facts.data_usage.trainer} & api.TRAINER_MEMBERS
    return facts.trainer_fields | read | facts.callbacks.trainer_fields


def _told(facts: Facts, takes_checkpoint: bool, has_data: bool) -> dict[str, str]:
    """The fields that are set, with code for their values."""
    values = {**_settings(facts), **_objects(facts, takes_checkpoint, has_data)}
    asked = {name: code for name, code in values.items() if name in facts.trainer_fields}
    defaults = fields_of("Trainer")
    if facts.schedules_accumulation:
        del defaults["accumulate_grad_batches"]  # it may have changed in an earlier run
    told = {name: code for name, code in asked.items() if defaults.get(name) != code}
    return {ASKED_OF.get(name, name): code for name, code in told.items()}


def _settings(facts: Facts) -> dict[str, str]:
    given = facts.settings
    interval, epochs = str(given.log_every_n_steps), str(given.check_val_every_n_epoch)
    if has_log_interval(facts):
        interval = "config.log_every_n_steps"
    if (given.check_val_every_n_epoch or 1) > 1 and facts.has_validation:
        epochs = "config.check_val_every_n_epoch"
    return {
        "max_epochs": _max_epochs(facts),
        "max_steps": "config.max_steps" if facts.has_max_steps else "-1",
        "accumulate_grad_batches": ACCUMULATE if facts.sets_accumulation else "1",
        "log_every_n_steps": interval,
        "gradient_clip_val": "config.gradient_clip_val" if given.gradient_clip_val else "None",
        "gradient_clip_algorithm": facts.setting_code("gradient_clip_algorithm"),
        "default_root_dir": "str(config.out)",
        "check_val_every_n_epoch": epochs,
        "val_check_interval": facts.setting_code("val_check_interval"),
    }


def _objects(facts: Facts, takes_checkpoint: bool, has_data: bool) -> dict[str, str]:
    """What is no setting."""
    makes_loggers = facts.own_main is None and facts.given_loggers.has_default
    return {
        "ckpt_path": "ckpt_path" if takes_checkpoint and not facts.callbacks.saves else "None",
        "world_size": "ranks.world_size",
        "global_rank": "ranks.rank",
        "datamodule": "data" if facts.data and has_data else "None",
        "callback_metrics": "model",
        "model": "model",
        **({"loggers": "default_loggers(config.out)"} if makes_loggers else {}),
    }


def _callback_lines(facts: Facts) -> Lines:
    own: Lines = ()
    if facts.has_hook("configure_callbacks"):
        own = ("trainer.callbacks = with_model_callbacks(trainer.callbacks, model.configure_callbacks())",)
    return (*own, *_lent_logs(facts))


def _lent_logs(facts: Facts) -> Lines:
    """Give callbacks what they log with."""
    if not (facts.callbacks and facts.callbacks.lent):
        return ()
    lent = (f"    callback.{name} = model.{name}" for name in sorted(facts.callbacks.lent))
    return ("for callback in trainer.callbacks:", *lent)


def _max_epochs(facts: Facts) -> str:
    if not has_max_epochs(facts):
        return "1000 if config.max_steps == -1 else -1" if has_open_end(facts) else "-1"
    if facts.is_expression("max_epochs") and facts.has_max_steps:
        return "-1 if config.max_epochs is None else config.max_epochs"
    return "config.max_epochs"


def _updates_trainer(facts: Facts) -> bool:
    """Whether `fit` does more with its Trainer than to make it."""
    changing = {"current_epoch", "global_step", "num_training_batches", "estimated_stepping_batches"}
    changing |= {"optimizers", "counted_optimizers", "schedulers", "shared"}
    changing |= {"train_dataloader", "val_dataloaders"}
    changing |= {"stage"} if facts.has_validation else set()
    changing |= {"sanity_checking"} if checks_sanity(facts) else set()
    return bool(changing & facts.trainer_fields or facts.callbacks) or (
        facts.data is not None and "trainer" in facts.data_usage.reads
    )
