"""Every error and warning, one function each; the function's name is the diagnostic's code.

A message says what is wrong and what to do. Functions on code take where it stands (`At`); the others a path.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from .diagnostics import Diagnostic, Severity, Span

if TYPE_CHECKING:
    from .source import Source

At = tuple["Source", cst.CSTNode]


def _here(at: At, message: str, severity: Severity = "error") -> Diagnostic:
    source, node = at
    span = source.span(node)
    return Diagnostic(_code(), message, span, source.line_of(span), severity)


def _file(path: str, message: str) -> Diagnostic:
    return Diagnostic(_code(), message, Span(path, 1, 1, 1, 1))


def _code() -> str:
    """The name of the message function two calls up."""
    frame = inspect.currentframe()
    for _ in range(2):
        assert frame is not None
        frame = frame.f_back
    assert frame is not None
    return frame.f_code.co_name.replace("_", "-")


def _choices(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# ---- files -----------------------------------------------------------------------------------------------


def unreadable(path: str, reason: str) -> Diagnostic:
    return _file(path, f"The file cannot be read: {reason}.")


def undecodable(path: str, reason: str) -> Diagnostic:
    return _file(path, f"The file is no Python source that can be decoded: {reason}. Save it as UTF-8.")


def too_deep(path: str) -> Diagnostic:
    return _file(path, "The code is nested too deeply to be parsed. Split its deepest expression up.")


def broken_script(problem: str) -> Diagnostic:
    message = (
        f"The script would be broken: {problem}. That is a defect of ddpgen's, not of your code: please report it. "
        "Nothing was written."
    )
    return Diagnostic("broken-script", message)


def syntax_error(span: Span, line: str, reason: str) -> Diagnostic:
    return Diagnostic("syntax-error", f"Python cannot read this: {reason}. Mend it first.", span, line)


# ---- the spec --------------------------------------------------------------------------------------------

# Where something stands in a YAML file, and the line it stands in.
Place = tuple[Span, str]


def _there(place: Place, message: str, severity: Severity = "error") -> Diagnostic:
    span, line = place
    return Diagnostic(_code(), message, span, line, severity)


def _shown(text: str) -> str:
    """`text` in backticks, short, and without anything that a terminal would act on."""
    text = text if text.isprintable() else repr(text)[1:-1]
    return f"`{text}`" if len(text) <= 60 else f"`{text[:57]}...`"


def spec_unreadable(path: str, reason: str) -> Diagnostic:
    return _file(path, f"The strategy's file cannot be read: {reason}.")


def unknown_strategy(name: str, presets: Sequence[str], close: Sequence[str]) -> Diagnostic:
    hint = f" Did you mean {_choices(close)}?" if close else ""
    message = (
        f"There is neither a preset nor a file called {_shown(name)}.{hint} "
        f"The presets are {_choices(presets)}; anything else is a path to a YAML file."
    )
    return Diagnostic("unknown-strategy", message)


def spec_not_a_mapping(place: Place) -> Diagnostic:
    return _there(
        place, "A strategy's file holds settings, written as `name: value`. Start with `strategy: ddp`."
    )


def unknown_setting(place: Place, name: str, close: Sequence[str], known: Sequence[str]) -> Diagnostic:
    hint = f"Did you mean {_choices(close)}?" if close else f"Known here: {_choices(known)}."
    return _there(place, f"There is no setting {_shown(name)} here. {hint}")


def invalid_setting(place: Place, name: str, must_be: str) -> Diagnostic:
    return _there(place, f"{_shown(name)} {must_be}.")


def trainer_setting(place: Place, sentence: str) -> Diagnostic:
    return _there(place, sentence)


def setting_without_ddp(place: Place, name: str) -> Diagnostic:
    return _there(
        place,
        f"`{name}` has no meaning with `strategy: single`, which trains in one process. "
        "Remove it, or write `strategy: ddp`.",
    )


def static_graph_needs_multi_auto_sync(place: Place, sync: str) -> Diagnostic:
    return _there(
        place,
        f"`static_graph` crashes inside torch where a backward runs without synchronisation, as with "
        f"`{sync}` here. Write `sync: multi_auto_sync`, or remove `static_graph`.",
    )


def static_graph_finds_unused_parameters(place: Place) -> Diagnostic:
    return _there(
        place,
        "With `static_graph`, DistributedDataParallel finds unused parameters by itself and warns about this "
        "setting on every rank. Remove `find_unused_parameters`.",
    )


def buffers_set_twice(place: Place) -> Diagnostic:
    return _there(
        place,
        "torch ignores `broadcast_buffers` where `forward_sync_buffers` is set. Keep one of the two: "
        "`broadcast_buffers: false` alone also leaves buffers as they are at the start.",
    )


def bucket_sizes_set_twice(place: Place) -> Diagnostic:
    return _there(
        place, "torch ignores `bucket_cap_mb` where `bucket_cap_mb_list` is set. Keep one of the two."
    )


def trainer_conflict(place: Place, sentence: str) -> Diagnostic:
    return _there(place, sentence)


# ---- YAML ------------------------------------------------------------------------------------------------


def yaml_too_large(path: str, limit: str) -> Diagnostic:
    return _file(path, f"The file is larger than {limit}, so it is no strategy's file. Check the path.")


def yaml_undecodable(path: str, reason: str) -> Diagnostic:
    return _file(path, f"The file is no text in UTF-8: {reason}. Save it as UTF-8.")


def yaml_too_deep(path: str) -> Diagnostic:
    return _file(path, "The YAML is nested too deeply to be read. A spec needs four levels at most.")


def yaml_syntax_error(place: Place, reason: str) -> Diagnostic:
    return _there(place, f"This is no valid YAML: {reason}.")


def yaml_tag(place: Place, tag: str) -> Diagnostic:
    return _there(place, f"The tag {_shown(tag)} does not fit here. Write plain values without a tag.")


def yaml_bad_scalar(place: Place, kind: str) -> Diagnostic:
    return _there(place, f"This cannot be read as {_shown(kind)}. Put it in quotes if it is a string.")


def yaml_surrogate(place: Place) -> Diagnostic:
    return _there(
        place, "The string holds half of a surrogate pair, which is no character. Write the character."
    )


def yaml_bad_key(place: Place) -> Diagnostic:
    return _there(place, "A key must be a plain word or number. Write it as `name: value`.")


def yaml_duplicate_key(place: Place, key: str) -> Diagnostic:
    return _there(place, f"{_shown(key)} is given twice. Keep one of the two.")


def yaml_bad_merge(place: Place) -> Diagnostic:
    return _there(
        place, "`<<` merges mappings only. Write `<<: *name`, where `&name` stands before a mapping."
    )


def yaml_alias_in_itself(place: Place) -> Diagnostic:
    return _there(place, "The alias stands inside of what it stands for. Write the value out.")


def yaml_expands_too_far(place: Place, limit: int) -> Diagnostic:
    return _there(
        place, f"With its aliases, the file expands to more than {limit} values. Write fewer of them."
    )


# ---- the model's code ------------------------------------------------------------------------------------


def no_model(path: str) -> Diagnostic:
    return _file(path, "The file defines no LightningModule with a `training_step`. Name the file that does.")


def model_in_a_function(at: At, name: str) -> Diagnostic:
    return _here(
        at,
        f"`{name}` is defined inside a function, where it is not found. Move the class to the top level of the file, "
        "and hand it as arguments what it takes from the function.",
    )


def model_base_unknown(at: At, name: str) -> Diagnostic:
    return _here(
        at,
        f"`{name}` has a `training_step`, but no LightningModule among its bases can be found. Derive it from "
        "`lightning.LightningModule`.",
    )


def made_base(at: At, name: str) -> Diagnostic:
    return _here(
        at,
        f"What `{name}` derives from is known only when the code runs, and so which hooks it has. Name the class here.",
    )


def unknown_class(path: str, place: Place | None, name: str, kind: str, found: Sequence[str]) -> Diagnostic:
    known = f"Choose one of {_choices(found)}." if found else "It has none."
    span, line = place or (Span(path, 1, 1, 1, 1), "")
    message = f"The model's file has no {kind} called {_shown(name)}. {known}"
    return Diagnostic("unknown-class", message, span, line)


def several_models(at: At, names: Sequence[str]) -> Diagnostic:
    return _here(at, f"The file has several models: {_choices(names)}. Choose one with --model CLASS.")


def several_data_modules(at: At, names: Sequence[str]) -> Diagnostic:
    return _here(at, f"The file has several data modules: {_choices(names)}. Choose one with --data CLASS.")


def no_data(at: At, model: str) -> Diagnostic:
    return _here(
        at,
        f"Nothing says where the training data of `{model}` comes from. Give the class a `train_dataloader`, or "
        "put a LightningDataModule into the file.",
    )


def no_training_step(at: At, model: str) -> Diagnostic:
    return _here(at, f"`{model}` has no `training_step`. Define one, or choose another class with --model.")


def bound_step(at: At, name: str) -> Diagnostic:
    return _here(
        at, f"`{name}` is assigned while the program runs, so it cannot be read. Define it as a method."
    )


def unsupported_hook(at: At, name: str) -> Diagnostic:
    return _here(
        at, f"The hook `{name}` is not supported yet, and the script would never call it. Remove it."
    )


def removed_hook(at: At, name: str, instead: str) -> Diagnostic:
    return _here(at, f"Lightning 2 no longer calls `{name}`. Move its code to `{instead}`.")


def unknown_hook_argument(at: At, hook: str, name: str) -> Diagnostic:
    return _here(
        at,
        f"With one optimizer and one loader, Lightning 2 gives `{hook}` no {_shown(name)}. Remove it, or give it a "
        "default.",
    )


def hyperparameters_never_saved(at: At) -> Diagnostic:
    return _here(
        at,
        "Nothing is saved in `self.hparams` before. Call `self.save_hyperparameters()` in `__init__` first.",
    )


def uncalled_hook(at: At, name: str) -> Diagnostic:
    return _here(
        at,
        f"`{name}` stays in the class, but the script trains and validates only: nothing calls it.",
        "note",
    )


def unsupported_member(at: At, name: str, instead: str) -> Diagnostic:
    return _here(at, f"The script has no `self.{name}`. {instead}.")


def unsupported_trainer_member(at: At, name: str, close: Sequence[str]) -> Diagnostic:
    hint = f"Do you mean {_choices(close)}?" if close else "Do without it."
    return _here(at, f"The script's trainer has no `{name}` yet. {hint}")


def trainer_member_set(at: At, name: str) -> Diagnostic:
    hint = {"accumulate_grad_batches": "Use a GradientAccumulationScheduler"}.get(name, "Do without it")
    return _here(at, f"That `{name}` is set makes no difference to the script's trainer. {hint}.")


def no_logger_object(at: At) -> Diagnostic:
    return _here(
        at,
        "What the spec's `logger` names is no object to ask for. Leave the setting out or add `tensorboard` to it, and "
        "it is a TensorBoardLogger; or give the Trainer a logger in the code that is built.",
    )


def callback_logs(at: At) -> Diagnostic:
    return _here(
        at,
        "It cannot be told which hooks call this method, and so what becomes of the value. Log in a method that hooks "
        "of the callback call.",
    )


def logger_argument(at: At, name: str) -> Diagnostic:
    return _here(at, f"What `{name}` asks for is not supported yet: the script would not do it. Remove it.")


def trainer_as_value(at: At) -> Diagnostic:
    return _here(
        at,
        "The trainer is passed on as a value, so what is read of it is unknown. Pass the values that are needed.",
    )


def unsupported_lightning_name(at: At, name: str, instead: str = "Remove it") -> Diagnostic:
    return _here(at, f"The script has no `{name}`: this part of Lightning is not supported yet. {instead}.")


def manual_optimization_unsure(at: At) -> Diagnostic:
    return _here(
        at,
        "Whether `training_step` steps the optimizers itself must be known when building. Write "
        "`self.automatic_optimization = False` in `__init__`, under no condition, or leave it out; or set it to an "
        "argument of the constructor, or `not` that, to which the class or the spec gives True or False.",
    )


def setting_with_manual_optimization(at: At, name: str) -> Diagnostic:
    instead = "call `self.clip_gradients` in" if "clip" in name else "step every so many batches in"
    return _here(
        at,
        f"With manual optimization there is no `{name}`. Remove it from the Trainer's settings, and {instead} "
        "`training_step`.",
    )


def sync_with_manual_optimization(place: Place, what: str) -> Diagnostic:
    return _there(
        place,
        f"With manual optimization, gradients are averaged in each `manual_backward`. Remove `{what}`.",
    )


def needs_manual_optimization(at: At, name: str) -> Diagnostic:
    return _here(
        at,
        f"`self.{name}` is for manual optimization. Write `self.automatic_optimization = False` in `__init__`.",
    )


def several_optimizers(at: At) -> Diagnostic:
    return _here(
        at,
        "Several optimizers need manual optimization. Write `self.automatic_optimization = False` in `__init__` and "
        "step them in `training_step`, or return one.",
    )


def plateau_without_monitor(at: At) -> Diagnostic:
    return _here(
        at,
        'ReduceLROnPlateau needs to know which metric to watch. Add `"monitor": "val_loss"`, with your metric\'s name.',
    )


def unknown_scheduler_key(at: At, key: str) -> Diagnostic:
    return _here(
        at,
        f"Lightning knows no key {_shown(key)} here. A scheduler's dict may have `scheduler`, `interval`, "
        "`frequency`, `monitor`, `strict` and `name`.",
    )


def bad_interval(at: At) -> Diagnostic:
    return _here(at, 'The interval must be "step" or "epoch". Write one of the two.')


def dataloader_iter(at: At) -> Diagnostic:
    return _here(
        at, "A `training_step` that takes the iterator is not supported. Take `batch` and `batch_idx`."
    )


def several_loaders(at: At) -> Diagnostic:
    return _here(
        at,
        "Several loaders are read together only where each has a length: give the iterable dataset a `__len__`.",
    )


def combined_loader(at: At) -> Diagnostic:
    return _here(at, "A CombinedLoader is read in training alone. Return a list of loaders.")


def share_of_a_stream(at: At, setting: str) -> Diagnostic:
    return _here(
        at,
        f"`{setting}` is a share of a number of batches that is not known: the dataset is iterable and has no "
        "`__len__`. Write a whole number of batches, or give the dataset a `__len__`.",
    )


def forbidden_log(at: At, method: str, hook: str) -> Diagnostic:
    return _here(
        at,
        f"Lightning forbids `self.{method}` in `{hook}`. Log in a step, or at the start or end of an epoch.",
    )


def logged_twice(at: At, name: str, first: str, second: str) -> Diagnostic:
    return _here(
        at,
        f"{_shown(name)} is logged for the epoch in `{first}` and in `{second}`: Lightning keeps two values under "
        "one name and shows the later. Give one of them another name.",
    )


def log_without_target(at: At) -> Diagnostic:
    return _here(at, "With `on_step=False` and `on_epoch=False` nothing is logged. Set one of them.")


def hyperparameters_unreadable(at: At) -> Diagnostic:
    return _here(
        at,
        "What `save_hyperparameters` saves here cannot be read. Call it in `__init__`, without arguments, with "
        "names as strings, or with one object.",
    )


def unreadable_hyperparameter(at: At, name: str) -> Diagnostic:
    return _here(at, f"`__init__` has no argument {_shown(name)}. Name one of its arguments.")


def missing_argument(at: At, section: str, cls: str, name: str) -> Diagnostic:
    return _here(
        at,
        f"`{cls}` needs a value for `{name}`. Give it a default, or write into the spec:\n"
        f"    {section}:\n      init_args:\n        {name}: ...\n"
        "    For an object, write its class: {class_path: torch.nn.MSELoss, init_args: {...}}.",
    )


def unknown_init_argument(place: Place, cls: str, name: str, known: Sequence[str]) -> Diagnostic:
    takes = f"It takes {_choices(known)}." if known else "It takes none."
    return _there(place, f"`{cls}` takes no argument {_shown(name)}. {takes}")


def reserved_class_name(at: At, name: str) -> Diagnostic:
    return _here(at, f"The script has a variable called `{name}`. Give the class another name.")


def dropped_setting(place: Place, name: str, reason: str) -> Diagnostic:
    span, line = place
    return Diagnostic("dropped-setting", f"`{name}` is dropped: {reason}.", span, line, "note")


# ---- the entry -------------------------------------------------------------------------------------------


def entry_statement_lost(at: At) -> Diagnostic:
    return _here(
        at,
        "The script would miss this: of the code that starts training it takes over just `seed_everything(...)`, "
        "`Trainer(...)` and `fit(Model(), Data())`. Remove it, or move what it does into the classes.",
    )


def entry_trainer_argument(at: At, sentence: str) -> Diagnostic:
    return _here(at, sentence)


def dropped_argument(at: At, name: str, reason: str) -> Diagnostic:
    return _here(at, f"`{name}` is dropped: {reason}.", "note")


def fit_argument_unknown(at: At) -> Diagnostic:
    return _here(
        at,
        "It cannot be read what this is. Write out the arguments of `fit`; a data module is to be made of a class of "
        "the project's.",
    )


def too_many_arguments(at: At, cls: str) -> Diagnostic:
    return _here(at, f"`{cls}` takes fewer arguments than are written here. Remove this one.")


# ---- the output ------------------------------------------------------------------------------------------


def undefined_name(at: At, name: str) -> Diagnostic:
    return _here(at, f"The name {_shown(name)} is defined nowhere in the file. Define or import it.")


def unreadable_black_settings(path: str, reason: str) -> Diagnostic:
    return _file(
        path, f"The section [tool.black] cannot be read: {reason}. Mend it: scripts are formatted by it."
    )


def not_overwritten(path: str, why: str) -> Diagnostic:
    return Diagnostic(
        "not-overwritten", f"{path} {why}. Move it away, choose another file with -o, or add --force."
    )


def overwrites_source(path: str) -> Diagnostic:
    return Diagnostic(
        "overwrites-source", f"{path} is what the script is made from. Choose another file with -o."
    )


def not_writable(path: str, reason: str) -> Diagnostic:
    return Diagnostic("not-writable", f"{path} cannot be written: {reason}.")


# ---- the user's edits ------------------------------------------------------------------------------------


def edits_kept(path: str, edits: Sequence[tuple[str, str]]) -> Diagnostic:
    """`edits` are pairs of lines and of what stands there."""
    width = max(len(lines) for lines, _ in edits)
    listed = "".join(f"\n  {path}:{lines:{width}}  {where}".rstrip() for lines, where in edits)
    return Diagnostic("edits-kept", f"Your edits are kept:{listed}", severity="note")


def other_version(path: str, before: str, now: str) -> Diagnostic:
    return Diagnostic(
        "other-version",
        f"{path} was generated by ddpgen {before}, and this is {now}: what the two do differently comes along.",
        severity="note",
    )


def edits_unknown(path: str, record: str, why: str) -> Diagnostic:
    return Diagnostic(
        "edits-unknown",
        f"{path} may hold edits of yours, but what was generated before is unknown: {record} {why}. Bring that file "
        "back as it was, or choose: --ours leaves the script as it is and takes each difference from today's text for "
        "your edit, --theirs takes today's text.",
    )


def cannot_merge(path: str, reason: str) -> Diagnostic:
    return Diagnostic(
        "cannot-merge",
        f"{path} was edited, and merging today's changes into it takes git: {reason}. Install git, or take today's "
        "text without your edits with --force.",
    )


def merge_conflict(place: Place, last: int, copy: str) -> Diagnostic:
    return _there(
        place,
        f"From here to line {last}, your edit and today's script contradict each other. Keep what you want, remove "
        f"the marks, and build again, or settle all conflicts with --ours or --theirs. {copy} holds the script as it "
        "was.",
    )


def conflict_stands(place: Place) -> Diagnostic:
    return _there(
        place,
        "A conflict still stands here, so nothing was built. Keep what you want of the two sides, remove the marks, "
        "and build again.",
    )


def merge_broken(place: Place, what: str, copy: str) -> Diagnostic:
    return _there(
        place,
        f"Your edits and today's script do not go together here. {what}. Mend it, and build again. {copy} holds the "
        "script as it was.",
    )


def merge_doubtful(place: Place, what: str) -> Diagnostic:
    return _there(
        place, f"Your edits and today's script may not go together here: {what}. Look at it.", "warning"
    )


# ---- scripts and their sources ---------------------------------------------------------------------------


def out_of_date(script: str, reasons: Sequence[str], command: str) -> Diagnostic:
    why = "; ".join(reasons) or "ddpgen itself has changed"
    return _file(
        script, f"This is not what its sources give now: {why}. Run `{command}`, which keeps your edits."
    )


def script_missing(script: str, record: str) -> Diagnostic:
    return _file(script, f"The script is gone. Build it again, or remove {record} as well.")


def record_missing(script: str, record: str) -> Diagnostic:
    return _file(
        script,
        f"What this was generated from is unknown, because {record} is missing. Bring it back, or build again.",
    )


def record_damaged(script: str, record: str) -> Diagnostic:
    return _file(
        script,
        f"What this was generated from cannot be read: {record} is damaged. Bring it back, or build again.",
    )


def not_generated(script: str, record: str) -> Diagnostic:
    return _file(script, f"This was not written by ddpgen: there is no {record}. Name a script that was.")


def source_missing(script: str, path: str, record: str) -> Diagnostic:
    return _file(
        script,
        f"{path}, from which this was generated, is gone. Bring it back, or build from where it is now. "
        f"If the script is to stand alone from now on, remove {record} and the line on ddpgen in its docstring.",
    )


# ---- verifying -------------------------------------------------------------------------------------------


def not_installed(missing: Sequence[str], extra: str) -> Diagnostic:
    lacking = " and ".join(_choices([name]) for name in missing)
    return Diagnostic(
        "not-installed",
        f"{lacking} {'is' if len(missing) == 1 else 'are'} not installed here. `pip install 'ddpgen[{extra}]'` "
        "installs what your code and the script need to run.",
    )


def one_process_alone(place: Place, processes: int) -> Diagnostic:
    return _there(
        place,
        f"`strategy: single` trains in one process, not in {processes}. Leave `--nproc` out, or write "
        "`strategy: ddp`.",
    )


def no_script(path: str) -> Diagnostic:
    return Diagnostic("no-script", f"There is no script at {path}. `ddpgen build` writes one.")


# ---- a new spec ------------------------------------------------------------------------------------------


def already_there(path: str) -> Diagnostic:
    return Diagnostic("already-there", f"{path} is there already. Write to another, or remove it first.")


# ---- projects of several files ---------------------------------------------------------------------------


def module_not_found(place: Place, name: str) -> Diagnostic:
    return _there(
        place,
        f"There is no module `{name}` here. Name the folder that holds it with --root, or mend the import.",
    )


def module_as_value(place: Place, name: str) -> Diagnostic:
    return _there(
        place,
        f"`{name}` is used as a value, but its definitions become part of the script. "
        "Import what is used by name.",
    )


def module_attribute_set(place: Place, name: str) -> Diagnostic:
    return _there(
        place,
        f"`{name}` is set from another module, but its module becomes part of the script. "
        "Set it in its own module, by a function.",
    )


def module_namespace(place: Place, name: str) -> Diagnostic:
    return _there(
        place,
        f"`{name}` asks for its own module, of which the script takes just parts. Name what is meant.",
    )


# ---- the user's own main ---------------------------------------------------------------------------------


def trainer_unpacks_arguments(at: At) -> Diagnostic:
    return _here(
        at,
        "Arguments that are unpacked cannot be read. Put these settings into the spec's `trainer` section, and "
        "call `Trainer()` without them.",
    )


def trainer_argument_not_literal(at: At, name: str) -> Diagnostic:
    return _here(
        at,
        f"What `{name}` will be decides how the script is written. Write a plain value, or set "
        f"`trainer: {{{name}: ...}}` in the spec, which wins.",
    )


def lightning_name_taken(at: At, name: str) -> Diagnostic:
    return _here(
        at,
        f"`{name}` is imported from Lightning here, and stands for something else elsewhere in what the script takes "
        "over. Give one of them another name.",
    )


def trainers_differ(at: At, name: str) -> Diagnostic:
    return _here(
        at,
        f"The Trainers have different values of `{name}`, which decides how the script is written. Give all the same "
        f"one, or set `trainer: {{{name}: ...}}` in the spec, which wins.",
    )


def trainer_made_elsewhere(at: At, name: str) -> Diagnostic:
    return _here(
        at,
        f"`{name}` cannot be read. Build `Trainer(...)` here, with its settings in the spec's `trainer` section.",
    )


def several_classes_fit(at: At, kind: str, names: Sequence[str]) -> Diagnostic:
    option = "--model" if kind == "module" else "--data"
    return _here(
        at, f"`fit` is given several classes: {_choices(names)}. One script has one; choose it with {option}."
    )


def unsupported_trainer_use(at: At, name: str) -> Diagnostic:
    return _here(
        at, f"`{name}` of the Trainer is not supported here yet. Remove it, or move it out of this file."
    )


def no_step_to_evaluate(at: At, method: str, cls: str, step: str) -> Diagnostic:
    return _here(at, f"`{method}` needs a `{step}`, which `{cls}` has not. Write one, or remove the call.")


def no_data_to_evaluate(at: At, method: str, hook: str) -> Diagnostic:
    return _here(
        at,
        f"It is not said on what data to run `{method}`: there is no `{hook}`. Give it a data module or a loader.",
    )


def evaluation_without_data(at: At, method: str) -> Diagnostic:
    return _here(
        at,
        f"Elsewhere the trainer is given a data module, whose hooks Lightning runs here too. Pass `datamodule` to "
        f"`{method}` as well.",
    )


def lacks_dataloader_idx(at: At, hook: str) -> Diagnostic:
    return _here(
        at,
        f"With several loaders, Lightning wants `{hook}` to have a parameter `dataloader_idx`. Add `dataloader_idx=0`.",
    )


def fit_shapes_differ(at: At, method: str = "fit") -> Diagnostic:
    return _here(
        at,
        f"The calls of `{method}` differ in what they are given. Give them the same arguments, or build several "
        "scripts.",
    )


def trainer_unknown(at: At) -> Diagnostic:
    return _here(
        at, "It cannot be read that this is a Trainer. Build it with `Trainer(...)` where it is used."
    )


def dynamic_import(place: Place) -> Diagnostic:
    span, line = place
    message = (
        "What this imports is known only when the script runs: it stays as it is. A module of the project that "
        "uses Lightning has to be imported by its name."
    )
    return Diagnostic("dynamic-import", message, span, line, "warning")


def optional_module_stays(place: Place, module: str, reason: str) -> Diagnostic:
    span, line = place
    message = (
        f"`{module}` is imported in branches or functions alone, and {reason}: its import stays where it is."
    )
    return Diagnostic("optional-module-stays", message, span, line, "note")


def optional_module_taken(place: Place, module: str, reason: str) -> Diagnostic:
    span, line = place
    message = (
        f"`{module}` is imported in branches or functions alone, and {reason}. It uses Lightning and so becomes part "
        "of the script, in any case."
    )
    return Diagnostic("optional-module-taken", message, span, line, "warning")


def instantiated(at: At) -> Diagnostic:
    return _here(
        at,
        "This makes an object of the original class, which is Lightning's. Call the class by its name, such as "
        "`Model(**cfg.model)`.",
    )
