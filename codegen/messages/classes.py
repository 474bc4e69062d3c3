"""Which class is trained, and what it is made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..diagnostics import Diagnostic
from .making import At, Command, Place, arguments_wanted, builds, choices, here, of_file, shown, there

MOST_REASONS = 3
"""So many are named."""

# ---- the choice ------------------------------------------------------------------------------------------


def no_model(path: str, overrides: Sequence[str], uses_fabric: bool) -> Diagnostic:
    """`overrides` are some by which the configuration, where it is known, may name one."""
    message = "Neither the file nor what it imports has a LightningModule with a `training_step`"
    if uses_fabric:
        return of_file(
            path, f"{message}. Its loop is its own, with Fabric: ddpgen writes those that a Trainer has."
        )
    answer = (
        ", nor does the configuration have one as a `_target_`. Name the overrides that the file is started with: "
        f"{choices([f'ddpgen build ... -- {each}' for each in overrides])}."
        if overrides
        else ". Name the file that defines it, or that imports it by its name."
    )
    return of_file(path, message + answer)


def model_in_a_function(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"`{name}` is defined inside a function, where it is not found. Move the class to the top level of the file, "
        "and hand it as arguments what it takes from the function.",
    )


def model_base_unknown(at: At, name: str, shipped: Sequence[str]) -> Diagnostic:
    """`shipped` are bases that Lightning has, whose code is not there to read."""
    why = (
        f"{choices(shipped)} is read where Lightning is installed beside ddpgen: install it there."
        if shipped
        else "Derive it from `lightning.LightningModule`."
    )
    return here(
        at, f"`{name}` has a `training_step`, but no LightningModule among its bases can be found. {why}"
    )


def model_base_unread(at: At, name: str, module: str, folder: str | None) -> Diagnostic:
    answer = (
        f"It stands in {shown(folder)}: add `--root {folder}`."
        if folder
        else "Install the package that it is in where ddpgen runs, which reads the code of those for Lightning; or "
        "name the folder that holds it with `--root FOLDER`."
    )
    return here(
        at,
        f"`{name}` has a `training_step`, and a base that is imported from {shown(module)}, which is no module that "
        f"Python would find beside this file. {answer}",
    )


def made_base(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"What `{name}` derives from is known only when the code runs, and so which hooks it has. Name the class here.",
    )


def unknown_class(path: str, place: Place | None, name: str, kind: str, found: Sequence[str]) -> Diagnostic:
    known = f"Choose one of {choices(found)}." if found else "It has none."
    message = f"The model's file has no {kind} called {shown(name)}. {known}"
    return there(place, message) if place else of_file(path, message)


def several_models(at: At, names: Sequence[str]) -> Diagnostic:
    return here(at, f"The file has several models: {choices(names)}. Choose one with --model CLASS.")


def several_data_modules(at: At, names: Sequence[str]) -> Diagnostic:
    return here(at, f"The file has several data modules: {choices(names)}. Choose one with --data CLASS.")


def several_classes_fit(at: At, names: Sequence[str], command: Command) -> Diagnostic:
    return here(
        at,
        f"The code trains objects of several classes, one after the other, which would have different scripts: "
        f"{choices(names)}. Let an option of the code say which one it trains, and build a script for each: "
        f"{builds(at, command, names)}.",
    )


def one_of_several_classes(
    at: At, names: Sequence[str], others: Sequence[str], command: Command
) -> Diagnostic:
    return here(
        at,
        f"What the code gives here may be of several classes: {choices([*names, *others])}, which would have different "
        f"scripts. This one is for {choices(names)}, and "
        f"stops where it is given another. For the others: {builds(at, command, others)}.",
        "warning",
    )


def picked_of_several_classes(
    at: At,
    names: Sequence[str],
    others: Sequence[str],
    command: Command,
    picked: Sequence[str],
    said: Sequence[str],
) -> Diagnostic:
    """`said` is what of the command line and the configuration picks some; the command line may have said nothing."""
    why = f": {', '.join(said[:MOST_REASONS])}" if said else " by itself"
    build = (
        f"Build another with what picks another behind `--`, or with `{command.option} {others[0]}`"
        if command.rest
        else f"For the others: {builds(at, command, others)}"
    )
    return here(
        at,
        f"Of {choices([*names, *others])}, which would have different scripts, the code picks {choices(picked)} here"
        f"{why}. This script is for {choices(names)}, and stops where it is given another. {build}.",
        "note" if command.rest else "warning",
    )


def no_data(at: At, model: str, data: str = "") -> Diagnostic:
    """`data` is the data module, in whose place the model is not asked."""
    why = (
        f"`{data}` has no `train_dataloader`, and beside a data module Lightning asks the model for none. Write it."
        if data
        else f"Nothing says where the training data of `{model}` comes from. Give the class a `train_dataloader`, put "
        "a LightningDataModule into the file, or name one in the spec: `data: {class_path: package.module.Data}`."
    )
    return here(at, why)


def no_configure_optimizers(at: At, name: str, of_cli: str) -> Diagnostic:
    """`of_cli` is the file with a LightningCLI, which may give the model its optimizer."""
    answer = (
        "With LightningCLI the optimizer may be said in its file, or on its command line: build with that file, "
        "`--strategy FILE.yaml`, in which `optimizer: {class_path: Adam, init_args: {lr: 0.001}}` stands, or as in "
        f"`ddpgen build {of_cli} -- fit --optimizer Adam --optimizer.lr 0.001`. Else write a `configure_optimizers`."
        if of_cli
        else "Write one; it may return None."
    )
    return here(
        at, f"`{name}` has no `configure_optimizers`, without which Lightning does not train. {answer}"
    )


def no_training_step(at: At, model: str) -> Diagnostic:
    return here(at, f"`{model}` has no `training_step`. Define one, or choose another class with --model.")


def metaclass(at: At) -> Diagnostic:
    return here(
        at,
        "What a metaclass adds to a class is not read. Write it into the class, or into a base of it.",
    )


def metaclass_unread(at: At, name: str, instead: str) -> Diagnostic:
    return here(
        at,
        f"What the metaclass {shown(name)} does here is not read. {instead}.",
    )


def metaclass_without_main(at: At, name: str, metaclass: str) -> Diagnostic:
    return here(
        at,
        f"{shown(name)} is made by {shown(metaclass)}, whose `__call__` sees which arguments are given: those of the "
        f"script's own main would be others. Write the code into the file that makes the {shown(name)}, and trains it.",
    )


def reserved_class_name(at: At, name: str) -> Diagnostic:
    return here(at, f"The script has a variable called `{name}`. Give the class another name.")


# ---- hyperparameters -------------------------------------------------------------------------------------


def hyperparameters_never_saved(at: At) -> Diagnostic:
    return here(
        at,
        "Nothing is saved in `self.hparams` before. Call `self.save_hyperparameters()` in `__init__` first.",
    )


def hyperparameters_set(at: At) -> Diagnostic:
    return here(
        at,
        "Lightning 2 does not let `hparams` be set. Call `self.save_hyperparameters(...)` with what stands here, which "
        "sets it.",
    )


def hyperparameters_unreadable(at: At) -> Diagnostic:
    return here(
        at,
        "What `save_hyperparameters` saves here cannot be read. Call it in `__init__`, or in one method that "
        "`__init__` calls once, without arguments, with names as strings, or with one object; or in `setup`, with one "
        "dict that is written out there.",
    )


def hyperparameters_saved_again(at: At, method: str) -> Diagnostic:
    return here(
        at,
        f"`{method}` saves the constructor's arguments, which `__init__` hands it in the script. Called once more, "
        "Lightning's `save_hyperparameters` finds none, and saves nothing: do without this call, or move what else the "
        "method does to another.",
    )


def hyperparameters_saved_outside(at: At) -> Diagnostic:
    return here(
        at,
        "Outside of its class, `save_hyperparameters` is translated where it is given one object by position, and "
        "beside it `ignore`, and `logger` as True or False. Give it the arguments as a dict.",
    )


def hyperparameters_renamed(at: At, cls: str, name: str) -> Diagnostic:
    return here(
        at,
        f"`{cls}` itself saves its argument {shown(name)} as a whole. Where more is saved here, Lightning's "
        "checkpoints no longer say that it was one argument, and what is loaded from them lacks it. Save all there.",
    )


def hyperparameters_told_apart(at: At, cls: str) -> Diagnostic:
    return here(
        at,
        f"The hyperparameters of a {shown(cls)} are saved in several places, of which some tell loggers of them, and "
        "some, with `logger=False`, do not. Have all do the same.",
    )


def unreadable_hyperparameter(at: At, name: str) -> Diagnostic:
    return here(at, f"`__init__` has no argument {shown(name)}. Name one of its arguments.")


def missing_argument(at: At, section: str, cls: str, names: Sequence[str], is_of_cli: bool) -> Diagnostic:
    return here(at, arguments_wanted(section, cls, names, is_of_cli))


def missing_cli_argument(place: Place, section: str, cls: str, names: Sequence[str]) -> Diagnostic:
    return there(place, arguments_wanted(section, cls, names, is_of_cli=True))


def unknown_init_argument(place: Place, cls: str, name: str, known: Sequence[str]) -> Diagnostic:
    takes = f"It takes {choices(known)}." if known else "It takes none."
    return there(place, f"`{cls}` takes no argument {shown(name)}. {takes}")


def wrong_type(place: Place, name: str, annotation: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` takes {shown(annotation)}, which this is not. Write a value of that type; an object is written as "
        "`{class_path: ..., init_args: {...}}`.",
    )


def literal_unknown(place: Place, name: str, annotation: str) -> Diagnostic:
    return there(
        place,
        f"Which values {shown(annotation)} of `{name}` allows is known when the code runs alone, and that decides what "
        "LightningCLI makes of this. Write the values out, or annotate it with `str`.",
    )


def default_kept(place: Place, name: str, cls: str, kept: Mapping[str, str]) -> Diagnostic:
    values = ", ".join(f"{argument}: {code}" for argument, code in kept.items())
    return there(
        place,
        f"`{name}` has a default, of which LightningCLI keeps `{values}` for `{cls}`. Write {choices([*kept])} into "
        "the `init_args`, as it is or as you mean it.",
    )


def default_unreadable(place: Place, name: str, default: str, cls: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` has a default, of whose arguments LightningCLI keeps those that `{cls}` takes too. What `{default}` "
        f"or `{cls}` takes can't be read here. Remove the default: this object stands in its place.",
    )


def object_of_another_kind(at: At, name: str, section: str) -> Diagnostic:
    kind = "Callback" if section == "callbacks" else "Logger"
    return here(at, f"`{name}` is no class that comes from Lightning's {kind}. Name one, or remove it.")


def missing_object_argument(place: Place, cls: str, name: str) -> Diagnostic:
    return there(place, f"`{cls}` is not given `{name}`, which it needs. Add it to its `init_args`.")


def argument_given_twice(place: Place, name: str) -> Diagnostic:
    return there(place, f"`{name}` is given in `init_args` too. Keep one of the two.")


def object_badly_described(place: Place) -> Diagnostic:
    return there(
        place,
        "An object is described by its `class_path`, such as `package.module.Class`, and `init_args: {name: value}`.",
    )


def plateau_watches_nothing(place: Place) -> Diagnostic:
    return there(
        place,
        "ReduceLROnPlateau needs the name of a metric that it watches. Write `init_args: {monitor: val_loss}`.",
    )


def too_many_arguments(at: At, cls: str) -> Diagnostic:
    return here(at, f"`{cls}` takes fewer arguments than are written here. Remove this one.")
