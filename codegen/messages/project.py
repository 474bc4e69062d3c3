"""Names, and projects of several files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..diagnostics import Diagnostic
from .making import At, Place, choices, here, of_file, on_overrides, shown, there, would_import


def undefined_name(at: At, name: str, is_theirs: bool) -> Diagnostic:
    message = f"The name {shown(name)} is defined nowhere in the file. Define or import it."
    if not is_theirs:
        return here(at, message)
    return here(at, f"{message} Where this runs, it is an error, as under Lightning.", "warning")


def lightning_name_taken(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"`{name}` is imported from Lightning here, and stands for something else elsewhere in what the script takes "
        "over. Give one of them another name.",
    )


def module_not_found(place: Place, name: str, is_late: bool) -> Diagnostic:
    """`is_late`: it may never be imported, as functions do that, which may never be called."""
    message = (
        f"There is no module `{name}` here. Name the folder that holds it with --root, or mend the import."
    )
    if not is_late:
        return there(place, message)
    return there(place, f"{message} Where this runs, it is an error, as under Lightning.", "warning")


def import_absent(place: Place, names: Sequence[str]) -> Diagnostic:
    return there(
        place,
        f"The project does not have {choices(names)}: where this runs, it is an error, as under Lightning. Add what is "
        "missing, or mend the import.",
        "warning",
    )


def import_not_found(
    path: str,
    elsewhere: Mapping[str, str],
    absent: Sequence[str],
    packages: Sequence[str],
    bases: Mapping[str, str],
) -> Diagnostic:
    """`elsewhere` are modules that are not found, with folders from which they would be; `absent` is nowhere.

    Of `packages`, which are not installed, none of their modules is. Of them are the `bases` of some classes.
    """
    roots = " ".join(f"--root {folder}" for folder in dict.fromkeys(elsewhere.values()))
    said = []
    if elsewhere:
        said.append(
            f"It imports {choices([*elsewhere])}, which Python would not find from here: add {shown(roots)}."
        )
    if absent:
        said.append(
            f"It imports {choices(absent)}, which the project does not have: add what is missing, or mend the import."
        )
    said += [
        f"{shown(name)} derives from {shown(base)}, which cannot be read." for name, base in bases.items()
    ]
    if packages:
        said.append(
            f"No package here has {choices(packages)}: install the one that has where ddpgen runs, which reads the "
            "code of packages for Lightning without running it; or name the folder that holds it, `--root FOLDER`."
        )
    return of_file(path, f"What is trained is not known without what is imported for it. {' '.join(said)}")


def root_found(path: str, modules: Sequence[str], folder: str) -> Diagnostic:
    message = (
        f"Python would not find {choices(modules)} from here: taken from `{folder}`, as with `--root {folder}`. "
        "Another `--root` names another folder."
    )
    return replace(of_file(path, message), severity="note")


def class_not_found(place: Place, path: str, close: Sequence[str]) -> Diagnostic:
    hint = (
        f"Did you mean `{close[0]}`?"
        if close
        else "Write where the class is defined, `package.module.Class`, and name the folder that holds the package "
        "with --root."
    )
    return there(place, f"There is no class {shown(path)}. {hint}")


def object_of_a_library(place: Place, path: str) -> Diagnostic:
    return there(
        place,
        f"{shown(path)} is none of Lightning's and none of the project's: what it does with a Trainer cannot be "
        "translated. Remove it, or write a class of your own; if this is one, name the folder that holds its package "
        "with --root.",
    )


def configuration_unknown(
    place: Place, reason: str, is_asked: bool, unread: Sequence[str], original: str = ""
) -> Diagnostic:
    """`unread` are calls that store something in hydra's ConfigStore, whatever that is; `original` as it says below."""
    said = reason if reason.endswith((".", "?", "!")) else f"{reason}."
    if unread:
        said += f" What {choices(unread)} may store in hydra's ConfigStore is not read: "
        said += "write it as files, where this lacks it."
    if is_asked:
        return there(place, f"This configuration cannot be composed: {said}")
    return there(
        place,
        f"What this configuration holds is not known when building: {said}{would_import(original)}"
        f"{on_overrides(reason)}",
        "note",
    )


def configuration_by_environment(place: Place, file: str, variables: Sequence[str]) -> Diagnostic:
    return there(
        place,
        f"Built for `{file}`: which file it is, {choices(variables)} says, in the environment of the build. For a "
        "script that runs with another value, build with that.",
        "note",
    )


def job_named(place: Place, name: str) -> Diagnostic:
    """`name` is that of the file that is compiled, without its ending."""
    return there(
        place,
        f"This is the name of the file that is started: `{name}` under Lightning, the script's own in the script, so "
        "that it writes to other folders, and logs under other names. For the same ones give the script the file's "
        f"name, in another folder, or have `hydra.job.name` be `{name}` in the configuration.",
        "warning",
    )


def branch_ruled_out(place: Place, condition: str, codes: Sequence[str] = ()) -> Diagnostic:
    """`condition` says with, or without, what it is taken; `codes` are what would else be said of it.

    Without these it rewrites the configuration.
    """
    why = (
        f"would stop the build ({choices(codes)}), and the configuration that is known"
        if codes
        else "rewrites the configuration as only a run can know, and the one that is composed"
    )
    return there(
        place,
        f"What is done {condition} {why} when building rules it out: the script stops there. For one that goes on, "
        "build with the overrides that ask for it, behind `--`.",
        "note",
    )


def old_trainer_ruled_out(place: Place, condition: str, name: str) -> Diagnostic:
    """`condition` says with, or without, what one is made that is given the argument."""
    return there(
        place,
        f"What is done {condition} gives a Trainer `{name}`, which Lightning 2 does not take, and the configuration "
        "that is composed when building rules it out: as Lightning does, the script stops there.",
        "warning",
    )


def choices_open(
    place: Place,
    path: str,
    choices: Mapping[str, Sequence[str]],
    overrides: Sequence[str],
    original: str = "",
) -> Diagnostic:
    """`choices` are the options of groups, to which `overrides` are told already: an error, where there are any.

    `original` is a class of a module that imports Lightning, which hydra would import where it is named.
    """
    groups = ", ".join(
        f"`{group}` ({', '.join(options) or 'of which no file stands in its folder itself'})"
        for group, options in choices.items()
    )
    firsts = [f"{group}={options[0] if options else '...'}" for group, options in choices.items()]
    return there(
        place,
        f"The configuration leaves open {groups}.{would_import(original)} Build for one of each, as in "
        f"`ddpgen build {path} -- {' '.join([*overrides, *firsts])}`.",
        "error" if overrides else "note",
    )


def module_as_value(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` is used as a value, but its definitions become part of the script. "
        "Import what is used by name.",
    )


def module_lacks(place: Place, module: str, name: str, close: Sequence[str]) -> Diagnostic:
    """`close` is what the module has under a name like that."""
    hint = f"Did you mean `{close[0]}`?" if close else "Define or import it there."
    return there(
        place,
        f"`{module}` has no {shown(name)}. {hint} Where this runs, it is an error, as under Lightning.",
        "warning",
    )


def starred_name_bound(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` comes with a star import, and may be bound anew. Import it by its name, "
        f"`from package.module import {name}`.",
    )


def restarred(place: Place, name: str, library: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` is Python's own here, and another in the module that has `from {library} import *`: in one script "
        "it can be but one of them. Import there what it needs by name.",
    )


def module_attribute_set(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` is set from another module, but its module becomes part of the script. "
        "Set it in its own module, by a function.",
    )


def module_value_set(place: Place, name: str) -> Diagnostic:
    module = name.rpartition(".")[0]
    return there(
        place,
        f"`{name}` is set here, and `{module}` is used as a value, too: the script has its variables, and an object "
        "with what these are at first. Keep what changes in what both hold, such as a dict of the module's.",
    )


def not_in_module(place: Place, target: str, is_made: bool) -> Diagnostic:
    module, _, name = target.rpartition(".")
    if is_made:
        given = f"`{name}` is what `__getattr__` of `{module}` gives, whose code becomes part of the script"
        return there(place, f"{given}: no module is asked there. Import it from where it is made.")
    return there(
        place,
        f"`{module}` has no `{name}`. Define or import it there: under Lightning, too, this is an error.",
    )


def copied_variable(place: Place, name: str, module: str, setter: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` is what it was when it was imported from `{module}`: what `{setter}` sets there is not seen here, "
        f"and the script would have one variable. Import `{module}` and ask it for `{name}`, if that is meant, or keep "
        "what was imported under another name.",
    )


def definition_renamed(place: Place, name: str, new: str) -> Diagnostic:
    return there(
        place,
        f"Something else in the script is called `{name}`, so that this is `{new}` there. The code asks classes or "
        "functions for their names: where these decide something, give one of the two another name.",
        "warning",
    )


def module_namespace(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` asks for its own module, of which the script takes just parts. Name what is meant.",
    )


def file_untellable(place: Place) -> Diagnostic:
    return there(
        place,
        "The script has an expression for the `__file__` of this module, which asks `os` and has quotes: it cannot "
        "stand here. Write `HERE = __file__` at the top of the module, and `HERE` here.",
    )


def dynamic_import(place: Place) -> Diagnostic:
    message = (
        "What this imports is known only when the script runs: it stays as it is. A module of the project that "
        "uses Lightning has to be imported by its name."
    )
    return there(place, message, "warning")


def folder_imported(place: Place, modules: Sequence[str]) -> Diagnostic:
    message = (
        f"This imports {choices(modules)}, as the folder is when building, in this order. Build again where it has "
        "others."
    )
    return there(place, message, "note")


def module_of_file(place: Place, file: str) -> Diagnostic:
    message = (
        f"The module that is loaded here is `{file}`, as is known when building: its code becomes part of the script, "
        "which runs it once, and stops where it is told another file. Build it again for that one."
    )
    return there(place, message, "note")


def module_of_file_stays(place: Place, file: str) -> Diagnostic:
    message = (
        f"This loads `{file}`, which imports Lightning, where no import can take its place: the file is imported as "
        "well, or it may not be loaded, or not by a statement of its own. Import the module by its name."
    )
    return there(place, message)


def module_of_file_unknown(place: Place) -> Diagnostic:
    message = (
        "Of which file this loads the module is known only when the code runs, so that the module is not read. If an "
        "option names the file, give that after `--`, as the code is started; or import the module by its name."
    )
    return there(place, message)


def module_name_unknown(place: Place) -> Diagnostic:
    message = (
        "Which module this imports is known only when the code runs, so that the module is not read. If an option says "
        "it, or names the file that does, give that after `--`, as the code is started; or import the module by its "
        "name."
    )
    return there(place, message)


def evaluated_name(place: Place) -> Diagnostic:
    message = (
        "What `eval` gives here is known only when the script runs: it stays as it is. Where that may be a model or "
        'data, say what the option may be, as in `add_argument("--model", choices=["Net"])`, or take it out of a dict.'
    )
    return there(place, message, "warning")


def optional_module_stays(place: Place, module: str, reason: str) -> Diagnostic:
    message = (
        f"`{module}` is imported in branches or functions alone, and {reason}: its import stays where it is."
    )
    return there(place, message, "note")


def overrides_unused(path: str, overrides: Sequence[str]) -> Diagnostic:
    return of_file(
        path,
        f"Nothing in this file takes {choices(overrides)}. What stands after the file's name is for the configuration "
        "of a main of hydra's, for a LightningCLI, or for options that name files of settings; an option of the "
        "build's own begins with `-`.",
    )


def overrides_left(path: str, overrides: Sequence[str]) -> Diagnostic:
    message = (
        f"But for the classes that it picks, nothing is built otherwise for {choices(overrides)}: the script reads its "
        "command line as this file does. Give that to the script when you start it."
    )
    return replace(of_file(path, message), severity="note")


def package_taken(path: str, package: str, version: str, licence: str, modules: Sequence[str]) -> Diagnostic:
    message = (
        f"Code of the installed package `{package}` {version} becomes part of the script: {choices(modules)}. It is "
        f"its authors', under the licence {licence}."
    )
    return replace(of_file(path, message), severity="note")


def methods_left_out(path: str, methods: Sequence[str]) -> Diagnostic:
    message = (
        f"Of installed packages' models the script does without what nothing in it asks for: {choices(methods)}. "
        "Code that you add can have it once this file calls it."
    )
    return replace(of_file(path, message), severity="note")


def needs_lightning(path: str, module: str) -> Diagnostic:
    message = (
        f"The script goes on importing {shown(module)}, which its package has for Lightning: it needs Lightning "
        "installed where it runs, for this alone. To do without, write what you use of it as a class of your own."
    )
    return replace(of_file(path, message), severity="warning")


def imported_within(place: Place, modules: Sequence[str]) -> Diagnostic:
    return there(
        place,
        f"What this does to modules that are imported within it, such as to check types, it does not do to "
        f"{choices(modules)}: their code becomes part of the script.",
        "warning",
    )


def optional_module_taken(place: Place, module: str, reason: str) -> Diagnostic:
    message = (
        f"`{module}` is imported in branches or functions alone, and {reason}. It becomes part of the script, "
        "which runs it in any case."
    )
    return there(place, message, "warning")


def shown_left_out(place: Place, function: str, why: str) -> Diagnostic:
    return there(place, f"The script does without `{function}()`: {why}.", "note")


def reload_left_out(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"The script does not load `{name}` a second time: nothing has changed it since it was imported.",
        "note",
    )
