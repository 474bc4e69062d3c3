"""The calls of hooks outside a batch's forward, backward and update."""

from __future__ import annotations

from .. import lightning_api as api
from ..ir.plans import Lines
from .facts import Facts
from .hooks import callback_lines, hook
from .members import module_members
from .model_facts import TRANSFER_HOOKS
from .optimizers import indented, schedule_lines
from .passes import transfer_lines
from .saved import logs_hyperparameters
from .stages import STAGES, index_argument
from .train_step import step_outputs


def stage_lines(facts: Facts, name: str, argument: str, has_data: bool) -> Lines:
    """The calls of `prepare_data`, `setup` or `teardown`."""
    calls = {
        owner: (f"{owner}.{name}({argument})",) if cls and name in cls.methods else ()
        for owner, cls in (("data", facts.data if has_data else None), ("model", facts.model))
    }
    return (*calls["data"], *callback_lines(facts, name, argument), *calls["model"])


def preparing_lines(facts: Facts, has_data: bool) -> Lines:
    lines = stage_lines(facts, "prepare_data", "", has_data)
    if not (lines and facts.is_ddp):
        return lines
    return ("if ranks.local_rank == 0:", *indented(lines), "wait_for_ranks()")


def hook_lines(facts: Facts) -> dict[str, Lines]:
    """The calls of hooks outside a batch's forward, backward and update."""
    arguments = _arguments(facts)
    names = (api.HOOKS | api.EVALUATION_HOOKS) - {"setup", "prepare_data", "teardown"}
    return {
        **{name: hook(facts, name, arguments.get(name, "")) for name in sorted(names)},
        **logger_lines(facts),
        **_checkpoint_lines(facts),
        **{name: stage_lines(facts, name, '"fit"', has_data=True) for name in ("setup", "teardown")},
        "prepare_data": preparing_lines(facts, has_data=True),
        "moved": ("model.device = device",) if "device" in module_members(facts) else (),
        **_starting_lines(facts),
        "agreed": _agreed(facts) if facts.optimizes_by_value else (),
        **({"on_train_batch_start": _skipping_lines(facts)} if facts.may_skip else {}),
        "attach": ("data.trainer = trainer",) if facts.data and "trainer" in facts.data_usage.reads else (),
    }


def _arguments(facts: Facts) -> dict[str, str]:
    """What hooks are given."""
    arguments = {
        "on_train_batch_start": "batch, batch_idx",
        "on_train_batch_end": f"{_outputs(facts)}, batch, batch_idx",
    }
    for stage in STAGES.values():
        for part, given in (("batch_start", "batch, batch_idx"), ("batch_end", "outputs, batch, batch_idx")):
            name = f"on_{stage.name}_{part}"
            arguments[name] = given + index_argument(facts.model, name, facts.has_several(stage))
    return arguments


def _model_lines(facts: Facts, name: str, arguments: str = "") -> Lines:
    """The call of a hook of the model's, where the callbacks' stand elsewhere."""
    return (f"model.{name}({arguments})",) if facts.has_hook(name) else ()


def _checkpoint_lines(facts: Facts) -> dict[str, Lines]:
    saving, loading = "on_save_checkpoint", "on_load_checkpoint"
    return {
        f"callbacks_{saving}": callback_lines(facts, saving, "checkpoint"),
        f"model_{saving}": _model_lines(facts, saving, "checkpoint"),
        saving: hook(facts, saving, "checkpoint"),
        loading: _model_lines(facts, loading, "checkpoint"),
    }


def _starting_lines(facts: Facts) -> dict[str, Lines]:
    """What comes first, the model's own hook after its example was tried."""
    start = "on_fit_start"
    lines = {start: (*callback_lines(facts, start), *_example_lines(facts), *_model_lines(facts, start))}
    if facts.has_hook("configure_model"):
        lines["configure_model"] = ("with device:", "    model.configure_model()")
    return lines


def _skipping_lines(facts: Facts) -> Lines:
    """The hook that may end the epoch; Lightning steps the schedulers all the same."""
    steps = schedule_lines(facts.form, facts.has_hook("lr_scheduler_step"))
    stepped = (*steps.get("after_step", ()), *steps.get("after_epoch", ()))
    callbacks = callback_lines(facts, "on_train_batch_start", "batch, batch_idx")
    return (
        *callbacks,
        "if model.on_train_batch_start(batch, batch_idx) == -1:",
        *indented((*stepped, "break")),
    )


def _agreed(facts: Facts) -> Lines:
    """Where an argument decides, one that the script was not made for is refused."""
    if facts.manual:
        condition, reason = "model.automatic_optimization", "this script leaves the optimizers to the model"
    else:
        condition, reason = "not model.automatic_optimization", "this script steps the optimizer itself"
    return f"if {condition}:", f'    raise SystemExit("{reason}: build another for these arguments")'


def _example_lines(facts: Facts) -> Lines:
    """Run the model's example, where Lightning's summary of the model does."""
    if not facts.tries_example:
        return ()
    hooked = any(facts.owner_of(name) for name in TRANSFER_HOOKS)
    moved = transfer_lines(facts) if hooked else ("batch = to_device(batch, device)",)
    return ("batch: Any = model.example_input_array", *moved, "try_example(model, batch)")


def logger_lines(facts: Facts, has_data: bool = True) -> dict[str, Lines]:
    """What becomes of logger objects before and after training; `has_data`: a data module too."""
    lines: dict[str, Lines] = dict.fromkeys(
        ("open_loggers", "log_hyperparameters", "close_loggers", "lend_writers"), ()
    )
    if facts.lends_writers:
        lent = ", ".join(f"LentWriter({variable}, trainer)" for variable, _ in facts.writers)
        return {**lines, "lend_writers": (f"trainer.loggers = [{lent}]",)}
    if not facts.given_loggers.are_objects:
        return lines
    owners = [("model", facts.model), ("data", facts.data if has_data else None)]
    saved = [f"{owner}.hparams" for owner, cls in owners if cls and logs_hyperparameters(cls)]
    hparams = f"{{{', '.join(f'**{each}' for each in saved)}}}" if len(saved) > 1 else "".join(saved)
    return lines | {
        "open_loggers": ("open_experiments(trainer.loggers)",),
        "log_hyperparameters": (f"log_hyperparameters(trainer.loggers, {hparams or None})",),
        "close_loggers": ("for logger in trainer.loggers:", '    logger.finalize("success")'),
    }


def _outputs(facts: Facts) -> str:
    if facts.uses_closure:
        return "outputs"
    return step_outputs(facts)
