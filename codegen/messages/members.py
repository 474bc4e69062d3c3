"""Hooks of Lightning's, and members of its classes, that a script has no counterpart of."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics import Diagnostic
from .making import At, Place, choices, here, shown, there

# ---- hooks -----------------------------------------------------------------------------------------------

AS_DATA = "`{}` derives from LightningModule, and is given as a data module"


def inner_member_set(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"`{name}` is a name of Lightning's own, which this sets, and the script has not. Give yours another name, or "
        "set what it stands for where Lightning wants it set.",
    )


def unsupported_hook(at: At, name: str, instead: str) -> Diagnostic:
    return here(at, f"The script would never call the hook `{name}`. {instead}.")


def log_dict_calls_log(at: At) -> Diagnostic:
    return here(
        at,
        "Lightning's `log_dict` calls the class's own `log`, with each of its arguments, and the script's does not. "
        "Write it out: `for name, value in values.items(): self.log(name, value)`.",
    )


def removed_hook(at: At, name: str, instead: str) -> Diagnostic:
    return here(at, f"Lightning 2 no longer calls `{name}`. {instead}")


def removed_display(at: At, name: str, instead: str) -> Diagnostic:
    return here(
        at,
        f"Lightning 2 no longer calls `{name}`, nor does the script. Your class stays as it is. {instead}",
        "note",
    )


def hook_never_called(at: At, name: str, instead: str) -> Diagnostic:
    return here(
        at,
        f"Lightning 2 never calls `{name}`, nor does the script. Your class stays as it is. {instead}",
        "warning",
    )


def class_body_unread(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"What this defines in `{name}` is not read, and may be a hook. Write each member out, under its name.",
    )


def assigned_hook(at: At, name: str, cls: str = "") -> Diagnostic:
    """`cls` has the hook set from outside of classes."""
    owner = f" of `{cls}`, or of a class derived from it, `class My{cls}({cls}):`" if cls else ""
    return here(
        at,
        f"`{name}` is assigned, and what it does is not read. Write it as a method{owner}: `def {name}(self, ...)`, "
        "which may call another.",
    )


def assigned_member(at: At) -> Diagnostic:
    return here(
        at,
        "A function is assigned here under a name that is known only when the code runs, which may be a hook's. Write "
        "it as a method under its name, which may call another.",
    )


def replaced_class(at: At, name: str, other: str) -> Diagnostic:
    return here(
        at,
        f"This puts another class, `{other}`, in the place of `{name}`, and what that adds is not read. Write what it "
        f"adds into `{name}`, or into a base of it.",
    )


def same_name(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"Another class is called `{name}` too, and just that one is read. Give this one a name of its own.",
    )


def base_unread(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"What `{name}` has of this base is not read: the script does not call hooks of Lightning's that the base "
        f"defines. Where it has some, write them into `{name}`, and let them call those of the base.",
        "warning",
    )


def unknown_hook_argument(at: At, hook: str, name: str, instead: str) -> Diagnostic:
    return here(at, f"Lightning 2 gives `{hook}` no {shown(name)}. {instead}")


def too_few_hook_arguments(at: At, hook: str, count: int) -> Diagnostic:
    return here(
        at, f"Lightning 2 gives `{hook}` of a callback {count} arguments beside `self`. Take them all."
    )


def uncalled_hook(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"Nothing that the script does calls `{name}`. Your class stays as it is.",
        "note",
        name,
    )


def hook_of_others(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"Lightning calls `{name}` of callbacks and of data modules, and not of a LightningModule: so does the script.",
        "note",
        name,
    )


# ---- members ---------------------------------------------------------------------------------------------


def last_of_stream(at: At) -> Diagnostic:
    return here(
        at,
        "The training data is a stream of which no more than some batches are read: where it has fewer, the script "
        "does not know the last one before its end. Do what is to be done after it in `on_train_epoch_end`, or read "
        "all of it.",
    )


def part_of_trainer_asked(at: At, name: str, known: Sequence[str]) -> Diagnostic:
    return here(at, f"Of the trainer's `{name}` the script has {choices(known)}. Ask for one of these.")


def part_of_trainer_set(at: At, name: str, member: str) -> Diagnostic:
    instead = "Set `trainer.optimizers`, in `on_fit_start`" if member == "optimizers" else "Do without it"
    return here(
        at,
        f"The script takes nothing from the trainer's `{name}`, so that to set `{member}` of it would change nothing. "
        f"{instead}.",
    )


def strategy_set_in_vain(at: At, member: str) -> Diagnostic:
    return here(
        at,
        f"The script does without this: Lightning's strategies never read `{member}`, so that it has no effect there, "
        f"either. What sets it is an argument of the strategy, `DDPStrategy({member}=...)`.",
        "note",
    )


def part_member(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"This is asked of a LightningModule that is a part of the model, and the script gives `{name}` to the model "
        "that it trains alone. Ask the model for it, and hand it to the part.",
    )


def unsupported_member(at: At, name: str, instead: str) -> Diagnostic:
    return here(at, f"The script has no `self.{name}`. {instead}.")


def unsupported_data_member(at: At, name: str, instead: str) -> Diagnostic:
    return here(at, f"The script's data module has no `{name}` yet. {instead}.")


def member_of_module(at: At, name: str, cls: str) -> Diagnostic:
    return here(
        at,
        f"{AS_DATA.format(cls)}, which it is in the script: without "
        f"LightningModule's {shown(name)}. Derive it from LightningDataModule, and do without this.",
    )


def module_told_apart(at: At, cls: str) -> Diagnostic:
    return here(
        at,
        f"{AS_DATA.format(cls)}, which it is in the script: this, which "
        "asks what it is or has, may find something else there. Derive it from LightningDataModule, and do without "
        "this.",
    )


def hyperparameters_of_data(at: At, name: str, cls: str) -> Diagnostic:
    return here(
        at,
        f"{AS_DATA.format(cls)}: under Lightning its hyperparameters "
        f"take the place of the model's in checkpoints, and {shown(name)} is about these. Derive it from "
        "LightningDataModule, whose have a place of their own.",
    )


def module_in_data(at: At, name: str, cls: str) -> Diagnostic:
    return here(
        at,
        f"{AS_DATA.format(cls)}: Lightning saves the weights in its "
        f"{shown(name)} with checkpoints, and the script does not. Derive it from LightningDataModule, of which "
        "Lightning saves none either.",
    )


def may_be_module_in_data(at: At, name: str, cls: str) -> Diagnostic:
    return here(
        at,
        f"{AS_DATA.format(cls)}. If its {shown(name)} is a module with "
        "weights, Lightning saves these with checkpoints, and the script does not. Derive it from "
        "LightningDataModule, of which Lightning saves none either.",
        "warning",
    )


def unsupported_trainer_member(
    at: At, name: str, close: Sequence[str], instead: str = "", removed: bool = False
) -> Diagnostic:
    """`removed`: Lightning 1 had it alone."""
    hint = f"Do you mean {choices(close)}?" if close and not instead else f"{instead or 'Do without it'}."
    lacks = (
        f"Lightning 2's trainer has no `{name}` any more"
        if removed
        else f"The script's trainer has no `{name}` yet"
    )
    return here(at, f"{lacks}. {hint}")


def no_trainer_member(at: At, name: str, close: Sequence[str], instead: str = "") -> Diagnostic:
    """`instead` is what to do for what Lightning 1 had."""
    hint = f" {instead}." if instead else f" Do you mean {choices(close)}?" if close else ""
    return here(
        at,
        f"Lightning's trainer has no `{name}`, nor has the script's: where this runs, it ends with an error.{hint}",
        "warning",
    )


def completed_epochs_set(at: At) -> Diagnostic:
    return here(
        at,
        "The script counts epochs as it trains them: where this sets another number than it has come to, it ends with "
        "an error. To go on from an epoch, give `fit` a checkpoint.",
        "warning",
    )


def data_made_early(at: At, name: str, hook: str) -> Diagnostic:
    return here(
        at,
        f"Lightning makes the training data's loader for `{name}`, here while `{hook}` runs, and the script later, "
        "before the optimizers. Ask in `configure_optimizers`.",
    )


def counted_early(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"Under Lightning `{name}` is infinite here, as the training data's loader is not made before "
        "`estimated_stepping_batches` is asked for; in the script it is a number. Ask for that first, as in "
        "`steps = self.trainer.estimated_stepping_batches`.",
    )


def trainer_member_set(at: At, name: str, instead: str) -> Diagnostic:
    return here(at, f"That `{name}` is set makes no difference to the script's trainer. {instead}.")


def trainer_member_without_setter(at: At, name: str, instead: str) -> Diagnostic:
    return here(
        at,
        f"A trainer's `{name}` cannot be set, Lightning's as the script's: where this runs, it is an AttributeError. "
        f"{instead}.",
    )


def trainer_set_by_name(at: At) -> Diagnostic:
    return here(
        at,
        "What this sets of the trainer may make no difference to the script's. Do without it, or set an attribute by "
        "its name: `trainer.should_stop = True`.",
    )


def trainer_set_in_a_loop(at: At, names: Sequence[str]) -> Diagnostic:
    return here(
        at,
        f"This sets {choices(names)} of a Trainer that is made, which the script does not follow: it stops here, where "
        "the mapping has any. Give such settings to the Trainer when it is made.",
        "warning",
    )


def no_logger_object(at: At) -> Diagnostic:
    return here(
        at,
        "What the spec's `logger` names is no object to ask for. Leave the setting out or add `tensorboard` to it, and "
        "it is a TensorBoardLogger; or give the Trainer a logger in the code that is built.",
    )


def nothing_to_draw(at: At) -> Diagnostic:
    return here(
        at,
        "No graph is drawn, as in Lightning: the model has no `example_input_array` to draw one of.",
        "note",
    )


def trainer_as_value(at: At) -> Diagnostic:
    return here(
        at,
        "The trainer is passed on as a value, so what is read of it is unknown. Pass the values that are needed.",
    )


def missing_here(at: At, name: str, instead: str) -> Diagnostic:
    return here(
        at, f"The script has no `{name}`, and stops where this is what is chosen. {instead}.", "warning"
    )


def environment_left_out(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script does without this change of Lightning's `{name}`: nothing would ask it, as torchrun says where "
        "the other processes are.",
        "note",
    )


def flag_left_out(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script does without this: it never asks Lightning's `{name}`. What it needs has to be installed where "
        "it runs.",
        "note",
    )


def logger_left_alone(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script does without this: Lightning's `{name}`, with which Lightning tells what it does, is not there, "
        "and what the script says it prints.",
        "note",
    )


def check_by_steps(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script's own loop does what {shown(name)} does in the place of Lightning's method: with "
        "`check_val_every_n_epoch=None`, `val_check_interval` is a number of optimizer steps.",
        "note",
    )


def check_as_it_is(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script does without this: {shown(name)} says that validation is due when Lightning's own method says "
        "it.",
        "note",
    )


def check_unread(at: At, name: str) -> Diagnostic:
    what = f"What {shown(name)} does" if name else "What is put here"
    return here(
        at,
        f"{what} in the place of Lightning's method, which says when validation is due, is not read. It may be a "
        "function that does the same, or, with `check_val_every_n_epoch=None`, has `self.global_step % "
        "self.trainer.val_check_batch == 0 and not self._should_accumulate()` in the place of batches. Otherwise say "
        "it with `val_check_interval` and `check_val_every_n_epoch`.",
    )


def check_uncounted(at: At, reason: str) -> Diagnostic:
    return here(
        at,
        f"It is not known that what is put here says when validation is due: {reason}. Set it once, right after the "
        "Trainer is made, or leave it out.",
    )


def unsupported_lightning_name(at: At, name: str, instead: str) -> Diagnostic:
    return here(at, f"The script has nothing in the place of Lightning's `{name}` here. {instead}.")


def removed_name(at: At, name: str, instead: str) -> Diagnostic:
    return here(at, f"Lightning 2 has no {shown(name)} any more. {instead}")


def display_left_out(at: At, name: str, is_bar: bool) -> Diagnostic:
    message = (
        f"The script has a bar of its own in the place of `{name}`."
        if is_bar
        else f"Without `{name}` the script shows less, and trains the same."
    )
    return here(at, message, "note", name)


def unprofiled_left_out(at: At) -> Diagnostic:
    return here(
        at,
        "No Trainer is given a profiler, so that this is never so: the script does without what would be done here.",
        "note",
    )


def killing_left_out(at: At) -> Diagnostic:
    return here(
        at,
        "The script's processes are torchrun's, which ends them: the script does without what would be done here.",
        "note",
    )


def display_named(at: At) -> Diagnostic:
    return here(
        at,
        "What is asked for the name of its class may be a callback that the script does without, and has no class of "
        "that name for. Ask before it is made, or leave that callback out.",
    )


def display_name_written(at: At) -> Diagnostic:
    return here(
        at,
        "This may be a callback that the script does without: it writes `Callback` then, as it has no class of that "
        "name.",
        "note",
    )


def tuner_left_out(place: Place, name: str, does: str) -> Diagnostic:
    what = "batch size" if "atch" in name else "learning rate"
    return there(
        place,
        f"`{name}` is left out, which changes the training: {does}. The script trains with the {what} that your code "
        "sets: find one with Lightning once, and set it there.",
        "warning",
    )


def tuner_stops(at: At, name: str, does: str) -> Diagnostic:
    what = "batch size" if "atch" in name else "learning rate"
    return here(
        at,
        f"A run that asks for `{name}` stops there, for the script has no Tuner: {does}. Find a {what} with "
        "Lightning once, and set it in your code.",
        "warning",
    )


def tuned_value_used(at: At, method: str) -> Diagnostic:
    return here(
        at,
        f"The script has no Tuner, and what comes of `{method}` is used here in any case. Find it with Lightning once, "
        "set it in your code, and remove these lines, or put them under an `if` that is off by default.",
    )


def display_does_more(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script has a bar of its own in the place of `{name}`, and would miss what that does here beside showing "
        "something. Move this into a class derived from Callback.",
    )


def experiment_given(at: At, name: str, base: str) -> Diagnostic:
    return here(
        at,
        f"The script's `{base}` writes with what it opens itself, and may not be able to do so with this. "
        f"`{name}` may be set to None, so that it opens another one; what that is, `{base}(...)` says.",
    )


def lightning_internal(at: At, name: str, base: str, is_of_object: bool = False) -> Diagnostic:
    instead = (
        f"Tell `{base}(...)` what is wanted, and keep what you need of it in a variable of your own."
        if is_of_object
        else "Do this in a method that both have, as a hook is, before or after `super()`'s."
    )
    return here(
        at,
        f"`{name}` belongs to the inner life of Lightning's `{base}`, and the script's `{base}` has none. {instead}",
    )


def name_of_the_scripts(at: At, name: str, base: str) -> Diagnostic:
    return here(
        at,
        f"The script's `{base}` has a `{name}` of its own, which Lightning's has not, and this would take its place. "
        "Give it another name.",
    )


def instantiated(at: At, lacks_target: bool = False) -> Diagnostic:
    """`lacks_target`: the configuration is known, and there is none in this part of it."""
    if lacks_target:
        return here(
            at,
            "This makes an object of what the configuration names, and the one that is known when building has no "
            "`_target_` here. Build with the overrides that name it, behind `--`; or have the code come here only "
            'where there is one: `if "_target_" in cfg.data:`.',
        )
    return here(
        at,
        "This makes an object of the original class, which is Lightning's, where the configuration is not known when "
        "building, as that of `@hydra.main(config_path=..., config_name=...)` is. Else call the class by its name, "
        "such as `Model(**cfg.model)`, and take `_target_` out of the configuration.",
    )


def instantiate_told_more(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script's `instantiate` takes no `{name}`. Do without it, or do what it did with what this gives.",
    )


def checkpoint_without_loops(at: At) -> Diagnostic:
    return here(
        at,
        "The script's checkpoints have no `loops`, where Lightning's say how far they are: a run goes on by their "
        "`epoch` and `global_step`. Do without it; `checkpoint: {every_n_steps: 500}` in the spec saves within epochs.",
    )


def checkpoint_counts_set(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script goes on by the {name} of a checkpoint, and Lightning by its `loops`: with another value here it "
        "would go on elsewhere. Write it under a name of your own.",
    )


def object_of_cli(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"LightningCLI saves of `{name}` what its configuration says, a mapping, and in the script it is the object "
        f"that the constructor is given. Write `self.{name} = {name}` in `__init__`, and read that, or have it "
        "annotated as a dict.",
    )
