"""How the model trains: its optimizers, its loaders, what it logs."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics import Diagnostic
from .making import At, Place, here, shown, there

# ---- optimizers ------------------------------------------------------------------------------------------


def manual_optimization_unsure(at: At) -> Diagnostic:
    return here(
        at,
        "Whether `training_step` steps the optimizers itself must be known when building. Write "
        "`self.automatic_optimization = False` in `__init__`, under no condition, or leave it out; or set it to an "
        "argument of the constructor, or `not` that, to which the class or the spec gives True or False. Where only a "
        "run can tell, write `automatic_optimization: true` or `false` into the spec; the script looks whether it is "
        "so.",
    )


def optimization_decided(place: Place, declared: bool) -> Diagnostic:
    by_model, by_script = "`training_step` steps the optimizers itself", "the script steps the optimizer"
    decided, other = (by_model, by_script) if declared else (by_script, by_model)
    return there(place, f"As your code has it, {decided}; this says that {other}. Remove it.")


def setting_with_manual_optimization(at: At, name: str) -> Diagnostic:
    instead = "call `self.clip_gradients` in" if "clip" in name else "step every so many batches in"
    return here(
        at,
        f"With manual optimization there is no `{name}`. Remove it from the Trainer's settings, and {instead} "
        "`training_step`.",
    )


def callback_with_manual_optimization(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"As in Lightning, `{name}` does not go with manual optimization, where `training_step` steps the optimizers. "
        "Remove it.",
    )


def sync_with_manual_optimization(place: Place, what: str) -> Diagnostic:
    return there(
        place,
        f"With manual optimization, gradients are averaged in each `manual_backward`. Remove `{what}`.",
    )


def gradients_apart(at: At) -> Diagnostic:
    return here(
        at,
        "With several processes these gradients are not averaged, nor are they under Lightning: each process trains "
        "by itself. Write `self.manual_backward(loss)` in the place of `loss.backward()`, if they should be.",
        "warning",
    )


def needs_manual_optimization(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"`self.{name}` is for manual optimization. Write `self.automatic_optimization = False` in `__init__`.",
    )


def optimizer_kind_asked(at: At) -> Diagnostic:
    return here(
        at,
        "Lightning steps this model's optimizer, and in the script `self.optimizers()` gives the optimizer itself, "
        "which is no `LightningOptimizer`. Do without the question: write what is to be done with the optimizer.",
    )


def wrapped_optimizer_asked(at: At) -> Diagnostic:
    return here(
        at,
        "Lightning steps this model's optimizer, and here gives a `LightningOptimizer` that has it as its `optimizer`. "
        "The script gives the optimizer itself. Remove `.optimizer`: under Lightning, too, all but `step` is the same.",
    )


def step_hook(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script calls `{name}` of optimizers that the model steps itself, with `self.automatic_optimization = "
        "False` in `__init__`, and of no others. Do without it.",
    )


def several_optimizers(at: At) -> Diagnostic:
    return here(
        at,
        "Several optimizers need manual optimization. Write `self.automatic_optimization = False` in `__init__` and "
        "step them in `training_step`, or return one.",
    )


NOT_WITH_SWAPPED = {
    "strategy": "here each rank has a share of the optimizer",
    "zero": "with `zero` each rank has a share of the optimizer",
    "local_sgd": "local SGD counts the steps of the optimizer that the model returns",
}


def not_with_swapped(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"Other optimizers take the place of the model's here, and {NOT_WITH_SWAPPED[name]}. Return them from "
        "`configure_optimizers`.",
    )


def new_optimizers_here(at: At, hooks: Sequence[str]) -> Diagnostic:
    runs_in = f" not in `{hooks[0]}`" if hooks else " and this is called by none of them"
    return here(
        at,
        f"The script makes new optimizers in hooks that run between the steps of the one before,{runs_in}. Call "
        "`setup_optimizers` in `on_train_epoch_start` or `on_train_batch_start`.",
    )


def new_optimizers_elsewhere(at: At) -> Diagnostic:
    return here(
        at,
        "The script makes new optimizers where a hook of the model or of a callback asks for them. Call "
        "`trainer.strategy.setup_optimizers(trainer)` in one, such as `on_train_epoch_start`.",
    )


NOT_WITH_NEW_OPTIMIZERS = {
    "automatic_optimization": "a model that steps its optimizers itself does so with those that it returned at first",
    "configure_optimizers": "it makes none here",
    "optimizer_step": "what prepares the gradients in `optimizer_step` is made for the first one",
    "strategy": "here each rank has a share of the first one",
    "zero": "with `zero` each rank has a share of the first one",
    "fused": "`fused` is set of the first one",
    "local_sgd": "local SGD counts the steps of the first one",
    "on_nan": "`on_nan` looks at what the first one changes",
    "validate": "this hook also runs in `trainer.validate`, where the script has none",
}


def not_with_new_optimizers(at: At, name: str) -> Diagnostic:
    at_first = "Return an optimizer with all parameters at first, and have them train later"
    instead = "Do it in `on_train_epoch_end`" if name == "validate" else at_first
    why = NOT_WITH_NEW_OPTIMIZERS[name]
    return here(at, f"`configure_optimizers` is called anew here, and {why}. {instead}.")


def plateau_without_monitor(at: At) -> Diagnostic:
    return here(
        at,
        'ReduceLROnPlateau needs to know which metric to watch. Add `"monitor": "val_loss"`, with your metric\'s name.',
    )


def unknown_scheduler_key(at: At, key: str) -> Diagnostic:
    return here(
        at,
        f"Lightning knows no key {shown(key)} here, and leaves it out, as the script does. A scheduler's dict may have "
        "`scheduler`, `interval`, `frequency`, `monitor`, `strict` and `name`.",
        "warning",
    )


def bad_interval(at: At) -> Diagnostic:
    return here(at, 'The interval must be "step" or "epoch". Write one of the two.')


# ---- loaders ---------------------------------------------------------------------------------------------


def dataloader_iter(at: At) -> Diagnostic:
    return here(
        at, "A `training_step` that takes the iterator is not supported. Take `batch` and `batch_idx`."
    )


def several_loaders(at: At) -> Diagnostic:
    return here(
        at,
        "Several loaders are read together only where each has a length: give the iterable dataset a `__len__`.",
    )


def combined_loader(at: At) -> Diagnostic:
    return here(
        at,
        "How this CombinedLoader reads has to be known when building: write its mode here, as text, and return nothing "
        "else from the same hook. Predictions are read by `sequential` alone, as in Lightning.",
    )


def read_in_two_ways(at: At, step: str) -> Diagnostic:
    return here(
        at,
        f"Here `{step}` gets batches of several loaders at once, there those of one after the other. Have "
        "CombinedLoaders read in the same way wherever this is called.",
    )


def share_of_a_stream(at: At, setting: str) -> Diagnostic:
    return here(
        at,
        f"`{setting}` is a share of a number of batches that is not known: the dataset is iterable and has no "
        "`__len__`. Write a whole number of batches, or give the dataset a `__len__`.",
    )


def share_of_a_given_stream(at: At, setting: str) -> Diagnostic:
    return here(
        at,
        f"`{setting}` is, or may be, a share of a number of batches that need not be known: of the project's datasets "
        f"one is iterable and has no `__len__`, and this may read it. Write `{setting}` as a whole number of batches, "
        "such as 100, or give the dataset a `__len__`.",
    )


# ---- logging ---------------------------------------------------------------------------------------------


def callback_logs(at: At) -> Diagnostic:
    return here(
        at,
        "It cannot be told which hooks call this method, and so what becomes of the value. Log in a method that hooks "
        "of the callback call.",
    )


def forbidden_log(at: At, method: str, hook: str) -> Diagnostic:
    return here(
        at,
        f"Lightning forbids `self.{method}` in `{hook}`. Log in a step, or at the start or end of an epoch.",
    )


def logged_twice(at: At, name: str, first: str, second: str) -> Diagnostic:
    return here(
        at,
        f"{shown(name)} is logged for the epoch in `{first}` and in `{second}`: Lightning keeps two values under "
        "one name and shows the later. Give one of them another name.",
    )


def log_without_target(at: At) -> Diagnostic:
    return here(at, "With `on_step=False` and `on_epoch=False` nothing is logged. Set one of them.")


def lbfgs_scaled(at: At) -> Diagnostic:
    return here(
        at,
        "Lightning refuses LBFGS with `16-mixed`, as losses are scaled. Use `bf16-mixed`, or another optimizer.",
    )


def fused_clipped(at: At) -> Diagnostic:
    return here(
        at,
        "Lightning refuses this with `16-mixed`: a fused optimizer unscales gradients in its step, so they cannot be "
        "clipped before. Remove `fused`, or `gradient_clip_val`; or write `optimizer: {fused: true}` into the spec, by "
        "which gradients are unscaled first.",
    )


def lbfgs_sharded(at: At) -> Diagnostic:
    return here(
        at,
        "`optimizer.zero` gives each parameter to one rank, and LBFGS changes all of them as one. Use another "
        "optimizer, or remove `zero`.",
    )


def optimizer_with_fsdp(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"Where a model is shared out, a rank has its share of each parameter, and {name} may need the whole of it. "
        "Use one that changes each number by itself, such as AdamW, or `strategy: ddp`.",
    )


def gradients_with_fsdp(at: At) -> Diagnostic:
    return here(
        at,
        "Where a model is shared out, a rank has its share of each gradient, so that a number made of it is its own. "
        "Log norms by Lightning's `grad_norm`, clip by `gradient_clip_val`, do without it, or write `strategy: ddp`.",
    )


def begins_too_early(at: At) -> Diagnostic:
    return here(
        at,
        "With `empty_init` layers take no memory yet where this begins them, and it would be lost. Move it into a "
        "method `reset_parameters` of the layer, by which layers begin as they are shared out; or remove `empty_init`.",
    )


def norms_with_fsdp(at: At) -> Diagnostic:
    return here(
        at,
        "Where a model is shared out, norms are put together from the shares of all ranks: if some alone ask for them, "
        "these wait for the others. Call it on every rank, outside of the question which rank this is.",
    )


def state_with_fsdp(at: At) -> Diagnostic:
    return here(
        at,
        "Where a model is shared out, this is a rank's share of the state. Save with `trainer.save_checkpoint(...)`, "
        "which puts it together, or write `strategy: ddp`.",
    )


def tensors_in_shares(at: At) -> Diagnostic:
    return here(
        at,
        "With `state: sharded` a checkpoint's tensors are written and read rank by rank: in this hook they are shares, "
        "or have no values yet. Write `checkpoint: {state: full}`, or leave them to the script.",
    )


def number_with_fsdp(at: At) -> Diagnostic:
    return here(
        at,
        "Where a model is shared out, a rank has its share of each parameter, so that a number taken of one is its "
        "own. Log the tensor, which `self.log` puts together, take the number elsewhere, or write `strategy: ddp`.",
    )


def sharded_by_code(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"Beside `{name}`, an optimizer whose states the code shares out cannot be stepped and saved as it should. "
        f"Return a plain one, or do without `{name}`.",
    )


def meets_in_batches(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"With `join`, a rank that has no batches left would not come to this `{name}`, for which the others wait. "
        "Call it in a hook at the end of the epoch, or remove `join`.",
    )


def gathers_in_parts(at: At) -> Diagnostic:
    return here(
        at,
        "With `microbatch`, ranks may have different numbers of parts of a batch, and would wait for each other here. "
        "Gather values in a hook that is called once a batch, or remove `microbatch`.",
    )


def outputs_of_parts(at: At) -> Diagnostic:
    return here(
        at,
        "With `microbatch`, `training_step` is called for each part of a batch, and this hook once. Return the loss "
        "alone, whose mean the hook is given, or have the step keep what the hook needs.",
    )


def thawed_after_wrapping(at: At, name: str, can_force: bool) -> Diagnostic:
    forced = " With `sync: forced_sync` the script averages the gradients of all that is trained."
    instead = forced if can_force else ""
    return here(
        at,
        f"{name} freezes layers before DistributedDataParallel wraps the model, and thaws them later. It averages no "
        f"gradients of what was frozen then, so several ranks drift apart from there on, as under Lightning.{instead}",
        "note",
    )


def thawed_for_optimizers(at: At) -> Diagnostic:
    return here(
        at,
        "DistributedDataParallel averages the gradients of those parameters that train when it wraps the model. Where "
        "others are thawed for the new optimizer, several ranks drift apart from there on, as under Lightning. With "
        "`sync: forced_sync` the script averages the gradients of all that is trained.",
        "note",
    )


# ---- checkpoints -----------------------------------------------------------------------------------------

NOT_WITH_CHECKPOINT_IO = {
    "a configuration": "a run may be told of another object, or of none. Write `plugins=` where the code calls "
    "`Trainer(...)`",
    "`checkpoint.async` of the spec": "what is written while training goes on is a copy, in the script's own form. "
    "Leave `async` out",
    "the strategy of the spec": "each rank has but its share of the model, which the script writes and reads itself. "
    "Remove the plugin, or write `strategy: ddp`",
    "`preemption` of the spec": "a run that leaves writes a `last.ckpt` of the script's own. Leave `preemption` out",
    "`checkpoint` of the spec": "it asks for a `last.ckpt` of the script's own. Leave it out, and have a "
    "ModelCheckpoint save",
    "URLs": "checkpoints at URLs are written in the script's own way. Save to a local folder",
    "`weights_only`": "the script tells `load_checkpoint` None, as Lightning does by default. Say it there",
}


def not_with_checkpoint_io(at: At, name: str, asked: str) -> Diagnostic:
    return here(
        at,
        f"`{name}` writes and reads checkpoints here, and that does not go with {asked}: "
        f"{NOT_WITH_CHECKPOINT_IO[asked]}.",
    )


def plugins_unknown(at: At) -> Diagnostic:
    return here(
        at,
        "Whether there is a CheckpointIO among these plugins is known only when the script runs. Make them where the "
        "Trainer is built.",
    )


def checkpoint_io_ended(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"Lightning calls the `teardown` of a CheckpointIO when a run is over, and the script does not. Have `{name}` "
        "finish what it writes in `save_checkpoint`.",
    )


def checkpoint_io_differs(at: At) -> Diagnostic:
    return here(
        at,
        "Lightning 2.6 tells a `load_checkpoint` the argument `weights_only`, which another class here takes, and this "
        "one does not. Add `weights_only=None` to its parameters.",
    )


# ---- libraries that watch --------------------------------------------------------------------------------


def autolog_in_vain(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"{shown(name)} logs what Lightning's Trainer does, which the script does without: nothing of the training "
        "comes to MLflow by this call, neither metrics nor parameters nor the model. Give the Trainer "
        "`logger=MLFlowLogger(...)`, which the script has too, and remove the call.",
        "warning",
    )


def tensorboard_in_vain(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"{shown(name)} passes on what TensorBoard is told, under Lightning by the logger that it makes by default. "
        "The script makes none, and writes its metrics to a file of its own. Give the Trainer "
        "`logger=TensorBoardLogger(...)`, or write `logger: [tensorboard]` into the spec.",
        "warning",
    )


def saved_by_validations(at: At) -> Diagnostic:
    return here(
        at,
        "The script goes on from checkpoints that are saved at an epoch's end, or by steps or time. From those of a "
        "validation within an epoch, as a ModelCheckpoint saves here, it does not: have one save with "
        "`every_n_train_steps`, too.",
        "warning",
    )
