"""The code that starts training: what it tells the Trainer, and what it has it do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta

from ..diagnostics import Diagnostic, Severity
from .making import At, Place, choices, here, shown, there, to_build

# ---- the Trainer -----------------------------------------------------------------------------------------


def profiler_options(at: At) -> Diagnostic:
    return here(
        at,
        "What this is given is left out: `fit` has a `torch.profiler.profile` with a schedule and a folder of its own, "
        "to edit.",
        "note",
    )


def profiled_part(at: At) -> Diagnostic:
    return here(
        at,
        "Under Lightning, torch's profiler marks this part by its name, and in the script it does not. Write "
        "`with torch.profiler.record_function(...)` to find it in the trace.",
        "note",
    )


def entry_statement_lost(at: At) -> Diagnostic:
    return here(
        at,
        "The script would not run this: its own `main` seeds, makes the model and its data, and trains. Remove it, or "
        "start the training in a main of your own, which the script then has: `trainer.fit(model)` below "
        '`if __name__ == "__main__":`.',
    )


def statement_left_out(place: Place) -> Diagnostic:
    return there(
        place,
        "The script does without this, as nothing in it uses what is bound here. If running it changes something that "
        "the training needs, move it to where that is used.",
        "note",
    )


def done_too_early(place: Place, by_name: bool) -> Diagnostic:
    where = "where it makes an object that a configuration names" if by_name else "in a function or a branch"
    return there(
        place,
        f"This is done when the module is imported, which a run does {where}; the script would do it before all else. "
        "Import the module at the top of the file that starts the training, or do this in a function that is called "
        "where it is needed.",
    )


def done_early(place: Place) -> Diagnostic:
    return there(
        place,
        "This is done when the module is imported, which a run does in a function or a branch, if at all; the script "
        "does it before all else. If that changes what the main does, do this in a function that is called where it "
        "is needed.",
        "warning",
    )


def set_before_import(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"This is `{name}` as it is when the module is imported, which a run does behind code that sets it; the script "
        "imports first. Import the module at the top of the file that starts the training, and read the variable in a "
        "function, by the module that has it.",
    )


def imported_behind_training(at: At) -> Diagnostic:
    return here(
        at,
        "Imports stand below this, which needs the training, and the script needs what they import above it. Move them "
        "above this, or this into a function that is called below them.",
    )


def guard_left_out(place: Place) -> Diagnostic:
    return there(
        place,
        "The script does without this: it is run when this file is started, and trains nothing.",
        "note",
    )


def argument_lost(at: At) -> Diagnostic:
    return here(
        at,
        "The script would miss this argument. That is a defect of ddpgen's: please report it. Until it is mended, "
        "remove the argument.",
    )


def cli_optimizer_linked(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"The model gets `{name}` as a dict that names its module, one of Lightning's or one that "
        "the script is made from, and makes the object by importing that again. Have the model take an "
        "`OptimizerCallable`, or a class and its options, and make it in its `configure_optimizers`.",
    )


def cli_trainer_class(place: Place) -> Diagnostic:
    return there(
        place,
        "The script's own trainer stands in the place of Lightning's, and has no part of another class. Leave "
        "`trainer_class` out: what it is told belongs into LightningCLI's file or `trainer_defaults`, what it does "
        "beside into callbacks, or into `before_fit` of the LightningCLI.",
    )


def no_cli_argument(place: Place, name: str, instead: str) -> Diagnostic:
    return there(place, f"LightningCLI takes no argument `{name}`. {instead}")


def cli_parser_class(place: Place) -> Diagnostic:
    return there(
        place,
        "What LightningCLI parses is decided when building, so that the script has no part which another parser could "
        "change. Leave `parser_class` out.",
    )


def cli_unread(place: Place) -> Diagnostic:
    return there(
        place,
        "What LightningCLI is told here is known only when the code runs. Write a plain value, a class or a function "
        'of the module\'s, or a text with variables that are set at its top, once each, as in `f"{NAME}"`; or write '
        "the setting into LightningCLI's file.",
    )


def cli_object_acts(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"LightningCLI makes an object of `{name}` here, which the script does not: its constructor does more than to "
        "keep what it is given. Do that in `before_fit`, or in the model.",
    )


def cli_argument_unread(place: Place, key: str) -> Diagnostic:
    return there(
        place,
        f"LightningCLI's command line would be given `--{key}`, which leads to no setting that is known here. Write "
        "all of the object or the mapping that it is a part of, or write it into LightningCLI's file.",
    )


def cli_file_not_found(place: Place, path: str, folder: str) -> Diagnostic:
    return there(
        place,
        f"LightningCLI takes this for a file with what it is, and there is no {shown(path)}, as seen from "
        f"{shown(folder)}. Write its path from there, or what it holds.",
    )


def cli_class_changed(place: Place, name: str, old: str, new: str) -> Diagnostic:
    old, new = (each.rpartition(".")[2] for each in (old, new))
    return there(
        place,
        f"LightningCLI goes on with `{name}`, which `{old}` was given, where `{new}` can take its value: that is not "
        f"known here. Write `{name}` for `{new}`, too, or leave it out of what `{old}` is given.",
    )


def cli_interpolation(place: Place, text: str) -> Diagnostic:
    return there(
        place,
        f"What {shown(text)} is, is known only when the code runs. Write a plain value, or give one on the command "
        "line: `ddpgen build main.py -- --trainer.default_root_dir=runs`.",
    )


def cli_variable_read(place: Place, names: Sequence[str], value: str) -> Diagnostic:
    return there(
        place,
        f"This is {shown(value)} in the script, as the environment of the build has it: the script does not read "
        f"{choices(names)}. Build with another value to have another.",
        "note",
    )


def cli_variable_unset(place: Place, text: str, name: str) -> Diagnostic:
    return there(
        place,
        f"What {shown(text)} is has to be known when building. Set `{name}` for the build, `{name}=... ddpgen build "
        "main.py`, or write a plain value.",
    )


def environment_untyped(place: Place, text: str) -> Diagnostic:
    return there(
        place,
        f"What becomes of {shown(text)} depends on what it is when the code runs. Annotate the argument with `str`, "
        "`int`, `float` or `Path`, or write a plain value.",
    )


def cli_given_object(place: Place, section: str) -> Diagnostic:
    name = {"model": "model_class", "data": "datamodule_class"}[section]
    return there(
        place,
        f"LightningCLI stops here: its `{name}` is a class, of which it makes an object itself. Give it the class, and "
        f"what the object is made with in LightningCLI's file, `{section}: ...`.",
    )


def cli_without_class(place: Place, section: str) -> Diagnostic:
    what = {"model": "Which model this trains", "data": "On which data this trains"}[section]
    return there(
        place,
        f"{what}, LightningCLI is told when it is started. Build with the file that it is given, "
        f"`--strategy FILE.yaml`, in which `{section}: {{class_path: ...}}` says so; or with what its command line "
        f"would be given, `ddpgen build {place[0].path} -- fit --{section} CLASS`.",
    )


def cli_saves_nothing(place: Place, more: Sequence[str], is_known: bool) -> Diagnostic:
    """`more` are its methods that do not save; `is_known` says whether the class is."""
    left = "This is left out: the script holds every setting, and saves no file of them."
    if more:
        return there(
            place, f"{left} So is {choices(more)} of it: a callback of the Trainer's can do that.", "warning"
        )
    severity: Severity = "note" if is_known else "warning"
    return there(place, f"{left} What else the callback does, a callback of the Trainer's can do.", severity)


def cli_command_left_out(place: Place, name: str, command: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` is left out: of LightningCLI's commands the script has `{command}` alone. For a script that runs "
        "another one, write that after `--`.",
        "note",
    )


def cli_own_commands(place: Place, names: Sequence[str], command: str) -> Diagnostic:
    return there(
        place,
        f"{choices(names)} is left out: the script has `{command}` alone, and no command can be added to it. What "
        "such a command does, a program of its own can do, with the model that was trained.",
        "note",
    )


def cli_checkpoint_settings(place: Place) -> Diagnostic:
    return there(
        place,
        "With `ckpt_path` Lightning makes the model with the hyperparameters that the checkpoint holds, whatever the "
        "settings say. The script makes it with the settings: let them say what the checkpoint was trained with.",
        "warning",
    )


def cli_method_uncalled(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"Neither LightningCLI nor the code calls `{name}`: what it changes of the settings stays as it is.",
        "warning",
    )


def cli_program_arguments(place: Place) -> Diagnostic:
    return there(
        place,
        "This is `sys.argv[1:]`: what the script is called with, and not what it is built with, which LightningCLI "
        "would be given.",
        "note",
    )


def cli_environment(place: Place) -> Diagnostic:
    return there(
        place,
        "With `default_env` Lightning takes settings from the environment, such as `PL_FIT__TRAINER__MAX_EPOCHS`. The "
        "script does not: give it options instead.",
        "warning",
    )


def cli_options_fixed(place: Place, names: Sequence[str]) -> Diagnostic:
    return there(
        place,
        f"{choices(names)} cannot be given to the script: the code computes other settings from what it reads on "
        "the command line, and these are computed when building. Build with another value to have another.",
        "note",
    )


def cli_method(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"The script has no part that `{name}` could change: what LightningCLI parses is decided when building. "
        "Remove the method, or build the Trainer in a main of your own.",
    )


def cli_config_set(place: Place) -> Diagnostic:
    return there(
        place,
        "What LightningCLI was told is decided when building: that this changes it would make no difference to what "
        "is trained. Write it into LightningCLI's file, or change the object that it is for.",
    )


def cli_member(place: Place, name: str, asked: str = "") -> Diagnostic:
    """`asked` is what is asked of it in turn."""
    instead = INSTEAD_OF_PARSER.get(asked, "") if name == "parser" else ""
    return there(
        place,
        f"The script's command line has no `{name}`: what LightningCLI parses is decided when building. "
        + (instead or "It has `config`, `subcommand`, `trainer`, `model` and `datamodule`."),
    )


_WRITING = (
    "It would write all settings with Lightning's defaults, which the script does not have: copy the file that they "
    "come from, or write what you want of `config`."
)

INSTEAD_OF_PARSER = {
    "args": "Its `args` are what the program is called with: write `sys.argv[1:]`, or what you give as `args`.",
    "dump": _WRITING,
    "save": _WRITING,
}
"""What to write in the place of what a parser is asked for."""


def entry_trainer_argument(at: At, sentence: str) -> Diagnostic:
    return here(at, sentence)


def dropped_argument(at: At, name: str, reason: str) -> Diagnostic:
    return here(at, f"The script does without `{name}`: {reason}.", "note", name)


def hparams_file(at: At) -> Diagnostic:
    return here(
        at,
        "`hparams_file` is not read. Hand `load_from_checkpoint` the model's arguments, each by its name.",
    )


def loading_on_an_object(at: At) -> Diagnostic:
    return here(
        at,
        "Lightning stops here with a TypeError: `load_from_checkpoint` is called on an object, which it does not "
        "change. Call it on the class, and keep what it returns.",
    )


def callback_unread(at: At, reason: str) -> Diagnostic:
    return here(
        at,
        f"The script would hold this callback and never call it: {reason}. Make it where the Trainer is built, of a "
        "class of Lightning's that the script has, or of one of yours that derives from Callback; or remove it.",
    )


def callbacks_counted(at: At) -> Diagnostic:
    return here(
        at,
        "A Trainer may have been given this list, and Lightning's adds callbacks of its own to it: its progress bar, "
        "its model summary, its ModelCheckpoint. In the script the answer would be another one. Ask before the Trainer "
        "is made, or give that a list of its own: `callbacks=[*callbacks]`.",
    )


def callbacks_told(at: At) -> Diagnostic:
    return here(
        at,
        "The script writes how many callbacks of your own the list holds. Where a Trainer has been given it, "
        "Lightning's has added its own: its progress bar, its model summary, its ModelCheckpoint.",
        severity="note",
    )


def timer_shared(at: At) -> Diagnostic:
    return here(
        at,
        "This may be given the list of callbacks of a Trainer that has a `max_time`: under Lightning, it has the Timer "
        "of that one too. Give each Trainer a list of its own: `callbacks=[*callbacks]`.",
    )


def two_precisions(at: At) -> Diagnostic:
    return here(
        at,
        "`plugins` says what is computed in, and `precision` too, which Lightning refuses. Give one of them.",
    )


def trainer_derived(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"`{name}` derives from Lightning's Trainer, which the script does not have. Build the Trainer with "
        f"`Trainer(...)` in its place, and move what `{name}` does beyond that into callbacks or into the main.",
    )


def trainer_class_as_function(
    place: Place, name: str, functions: Mapping[str, str], left_out: Sequence[str]
) -> Diagnostic:
    made = "".join(
        f" Its method `{method}` is the function `{function}`." for method, function in functions.items()
    )
    gone = f" Nothing asks for {choices(left_out)}, which the script does not have." if left_out else ""
    return there(
        place,
        f"`{name}` is read as a function that makes a Trainer, and so it is in the script.{made}{gone}",
        "note",
    )


NO_CHECKPOINT = (
    "The script keeps no checkpoint, as `enable_checkpointing` says. `checkpoint: true` in the spec has it keep one, "
    "from which a run goes on."
)


def no_checkpoint(at: At) -> Diagnostic:
    return here(at, NO_CHECKPOINT, "note")


def no_checkpoint_by_spec(place: Place) -> Diagnostic:
    return there(place, NO_CHECKPOINT, "note")


TAKEN_OVER = "torchrun decides the strategy; of this one the script has {}, as if the spec said so.{}"
ON_CUDA = {
    f"ddp.{name}": " As under Lightning, the hook is for CUDA devices alone; "
    f"`ddp: {{{name}: ...}}` in the spec is for all."
    for name in ("comm_hook", "local_sgd")
}


def strategy_taken_over(at: At, kept: Sequence[str]) -> Diagnostic:
    return here(at, TAKEN_OVER.format(choices(kept), "".join(ON_CUDA.get(key, "") for key in kept)), "note")


def strategy_in_spec_taken_over(place: Place, kept: Sequence[str]) -> Diagnostic:
    return there(
        place, TAKEN_OVER.format(choices(kept), "".join(ON_CUDA.get(key, "") for key in kept)), "note"
    )


def strategy_in_spec_shards(place: Place, name: str, strategy: str) -> Diagnostic:
    return there(
        place,
        f"{shown(name)} shards the model: write `strategy: {strategy}` into the spec, beside `trainer`. If the model "
        "and its optimizer fit on one device, let `trainer.strategy` be `ddp`.",
    )


def strategy_in_spec_unsupported(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"The strategy {shown(name)} is not supported yet: the script gives each process the whole model, as `ddp` "
        "does. If the model and its optimizer fit on one device, let `trainer.strategy` be `ddp`.",
    )


def strategy_in_spec_argument(place: Place, name: str) -> Diagnostic:
    return there(
        place,
        f"`{name}` of this strategy: the script does not have it yet. If training does without, "
        "remove it.",
    )


def comm_hook_argument(at: At, sentence: str) -> Diagnostic:
    return here(at, f"In this strategy, {sentence}.")


def ddp_argument_left_out(at: At, name: str, reason: str) -> Diagnostic:
    return here(
        at,
        f"The script does without DistributedDataParallel's `{name}`: {reason}. Remove it here, or set `trainer: "
        "{strategy: ddp}` in the spec, which wins.",
    )


def strategy_argument(at: At, name: str, key: str) -> Diagnostic:
    section, _, setting = key.partition(".")
    answer = (
        f"What it will be is known only when the code runs. Write a plain value, or set `{section}: {{{setting}: "
        "...}` in the spec, which wins."
        if key
        else "The script does not have it yet. If training does without, remove it here, or set `trainer: {strategy: "
        "ddp}` in the spec, which wins."
    )
    return here(at, f"`{name}` of this strategy: {answer}")


def strategy_argument_unknown(at: At, name: str, instead: str, key: str, is_in_file: bool) -> Diagnostic:
    """`is_in_file`: a configuration says it, which a run reads anew."""
    section, _, setting = key.partition(".")
    why = (
        f"Of {shown(name)} of this strategy a run may be told something else than stands here: whatever that is, the "
        f"script {instead}."
        if is_in_file
        else f"What {shown(name)} of this strategy will be is known only when the code runs: the script {instead}."
    )
    return here(
        at,
        f"{why} `{section}: {{{setting}: ...}}` in the spec sets it.",
        "warning",
    )


def strategy_unsupported(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"{shown(name)} is not supported yet: the script gives each process the whole model, as `ddp` does. If the "
        "model and its optimizer fit on one device, write `ddp` here, or set `trainer: {strategy: ddp}` in the spec, "
        "which wins.",
    )


def strategies_differ(at: At, key: str) -> Diagnostic:
    section, _, name = key.partition(".")
    return here(
        at,
        f"Of `{name}` the strategies in the code ask for different values, and the script has one strategy. Let them "
        f"be alike, or write `{section}: {{{name}: ...}}` into the spec, which wins.",
    )


def strategies_share(at: At, key: str, value: object) -> Diagnostic:
    """`value` is what the script has for all of them."""
    section, _, name = key.partition(".")
    plain = f"{value.total_seconds():g}" if isinstance(value, timedelta) else value
    written = json.dumps(plain, default=str).strip('"')
    return here(
        at,
        f"Of `{name}` the strategies in the code ask for different values, and the script has one strategy: it is as "
        f"with `{section}: {{{name}: {written}}}` in the spec, which can say another.",
        "note",
    )


def strategy_stops(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script does not train by {shown(name)}: where this is reached, it stops and says so.",
        "warning",
    )


def strategy_unchosen(at: At) -> Diagnostic:
    return here(
        at,
        "As the code and its configuration stand, no Trainer is given this strategy: the script does without it, and "
        "would if they chose it later. Build it again then.",
        "warning",
    )


def strategy_shards(at: At, name: str, strategy: str, is_sure: bool = True) -> Diagnostic:
    chosen = "" if is_sure else ", which may be chosen here,"
    return here(
        at,
        f"{shown(name)}{chosen} shards the model: write `strategy: {strategy}` into the spec. If the model and its "
        "optimizer fit on one device, write `ddp` here, or set `trainer: {strategy: ddp}` in the spec, which wins.",
    )


def sharding_argument(at: At, name: str, instead: str) -> Diagnostic:
    return here(
        at,
        f"`{name}` of this strategy: {instead} in the spec says that. Write it there, which wins over what stands "
        "here.",
    )


def strategy_unknown(at: At, finds_unused: bool) -> Diagnostic:
    advice = "If some parameters get no gradients, set `ddp: {find_unused_parameters: true}` in the spec; if"
    return here(
        at,
        "Which strategy this is will be known only when the code runs. The script trains with the spec's `strategy`: "
        f"each process has the whole model. {'If' if finds_unused else advice} this may shard the model, the script "
        "does not.",
        "warning",
    )


def static_graph_accumulates(at: At, is_sure: bool) -> Diagnostic:
    says = "Here" if is_sure else "Where this is more than 1,"
    return here(
        at,
        f"{says} several processes stop inside torch, under Lightning as in the script: the strategy has "
        "`static_graph`, with which no backward may run without synchronisation. Leave one of the two out, or write "
        "`sync: multi_auto_sync` into the spec.",
        "error" if is_sure else "warning",
    )


def strategy_arguments_unknown(at: At) -> Diagnostic:
    return here(
        at,
        "What this strategy is given will be known only when the code runs. If it is more than `ddp`'s own defaults, "
        "write it into the spec's `ddp` section: `ddp: {find_unused_parameters: true}`.",
        "warning",
    )


def trainer_argument_by_place(at: At) -> Diagnostic:
    return here(
        at,
        "Arguments that have no name cannot be read. Write them out, such as `max_epochs=args.max_epochs`, or put them "
        "into the spec's `trainer` section.",
    )


def settings_at_run(at: At, expected: Sequence[str], is_guess: bool) -> Diagnostic:
    """`is_guess`: neither the code nor the spec names any."""
    return here(
        at,
        "Which settings this holds is known only when the script runs. The script takes "
        f"{choices(expected) or 'nothing'} from it, and stops where it holds another one that has an effect. Name "
        f"{'all' if is_guess else 'others'} that it may hold in the spec: `trainer_keys: [max_epochs, "
        "gradient_clip_val]`.",
        "warning" if is_guess else "note",
    )


def mapping_asked_twice(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script asks this for `{name}` and for the settings, and here it can have no name, by which it would be "
        "made once. Make the Trainer in a statement of its own.",
    )


def objects_beside_a_main(at: At) -> Diagnostic:
    return here(
        at,
        "The code builds its Trainer itself, and would not be given these. Write them into its `Trainer(...)`, and "
        "remove them here.",
    )


def callbacks_not_taken_away(place: Place) -> Diagnostic:
    return there(
        place,
        "The code gives its Trainer callbacks, which this would take away. Remove them from its `Trainer(...)`, or "
        "this line.",
    )


def optimizer_beside_a_main(place: Place) -> Diagnostic:
    return there(
        place,
        "LightningCLI alone gives a model its optimizer. Write this into the model's `configure_optimizers`, and "
        "remove it here.",
    )


def optimizer_turned_off(at: At) -> Diagnostic:
    return here(
        at,
        "With this, LightningCLI takes no `optimizer` from its file, which has one. Remove one of the two.",
    )


def scheduler_without_optimizer(place: Place) -> Diagnostic:
    return there(
        place,
        "A scheduler needs an `optimizer` beside it, with its `class_path`. Add it, or return both from the model's "
        "`configure_optimizers`.",
    )


def trainer_argument_not_literal(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"What `{name}` will be decides how the script is written. Write a plain value, or set "
        f"`trainer: {{{name}: ...}}` in the spec, which wins.",
    )


def environment_setting(at: At, variable: str, name: str) -> Diagnostic:
    return here(
        at,
        f"Lightning's Trainer takes `{name}` from `{variable}` where it is not given one, and the script does not. "
        f"Give it to the Trainer, or set `trainer: {{{name}: ...}}` in the spec.",
    )


def trainers_differ(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The Trainers have different values of `{name}`, which decides how the script is written. Give all the same "
        f"one, or set `trainer: {{{name}: ...}}` in the spec, which wins.",
    )


def interval_of_two_kinds(at: At) -> Diagnostic:
    return here(
        at,
        "Here `val_check_interval` may be a time, or a number of batches, which are two scripts. Give one of them in "
        'every case, or set it in the spec, which wins: `trainer: {val_check_interval: "00:00:15:00"}`.',
    )


def trial_and_time(at: At) -> Diagnostic:
    return here(
        at,
        "Whether this run only tries the code out is known when it is started: it would validate after its batches, "
        "and otherwise by the time that `val_check_interval` says, which are two scripts. Write the value of "
        "`fast_dev_run`, or set it in the spec: `trainer: {fast_dev_run: false}`.",
    )


def trainer_made_elsewhere(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"What `{name}` makes cannot be read. Build the Trainer here with `Trainer(...)`, and put its settings into "
        "the spec's `trainer` section, or write each out: `max_epochs=cfg.trainer.max_epochs`.",
    )


def trainer_made_by_parser(at: At) -> Diagnostic:
    return here(
        at,
        "The parser makes this Trainer of what its command line says. Make it where it is used, of the arguments that "
        "the parser has read: `Trainer(**args.trainer)`, and give `add_class_arguments` the argument "
        "`instantiate=False`.",
    )


def trainer_of_command_line(at: At) -> Diagnostic:
    return here(
        at,
        "The command line gives the function this Trainer, and it is not known what makes it. Take its settings as "
        "parameters, and make it here: `trainer = Trainer(max_epochs=max_epochs)`.",
    )


def class_parser_argument(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script's parser does not take `{name}`: which class it would be given is not known. Give it the class "
        "itself, and its key.",
    )


def class_parser_member(at: At, name: str) -> Diagnostic:
    return here(
        at,
        f"The script's parser has no `{name}`. Add what the optimizer is made with to the model's arguments, and make "
        "it in `configure_optimizers`.",
    )


def trainer_unknown(at: At, reason: str) -> Diagnostic:
    return here(
        at,
        f"Whether this is a Trainer cannot be told: {reason}. Make it with `Trainer(...)` where it is used.",
    )


def unsupported_trainer_use(at: At, name: str, instead: str) -> Diagnostic:
    return here(at, f"A main cannot ask the script's trainer for `{name}`. {instead}.")


def method_by_another_name(at: At, method: str) -> Diagnostic:
    return here(
        at,
        f"It cannot be told what `{method}` of the Trainer's is given: code that is not read may call it, or calls by "
        f"other names differ in their arguments. Call it as it is, such as `trainer.{method}(model)`.",
    )


def method_unknown(at: At) -> Diagnostic:
    return here(
        at,
        "Which method of the Trainer's this calls is known only when the code runs. Name all that it may be, such as "
        '`choices=["fit", "test"]` of an option of argparse\'s, or call each by its name.',
    )


# ---- what it is to do ------------------------------------------------------------------------------------


def fit_argument_unknown(at: At, method: str, reason: str) -> Diagnostic:
    return here(
        at,
        f"What `{method}` is given here cannot be told: {reason}. Write it out: a model, and a data module or loaders, "
        "that the project's own code makes.",
    )


def model_as_data(at: At, method: str) -> Diagnostic:
    return here(
        at,
        f"This is the model itself. Leave it out: `{method}(model)` asks a model for its loaders all the same. Given "
        "it twice, Lightning calls its `prepare_data`, `setup`, `teardown` and `state_dict` twice each, and all else "
        "once.",
    )


def no_fit_argument(at: At, sentence: str) -> Diagnostic:
    return here(at, sentence)


def loader_or_data(at: At, reasons: Sequence[str]) -> Diagnostic:
    first, others = reasons[:3], reasons[3:]
    said = ", or ".join((*first, f"one of {len(others)} other things") if others else first)
    return here(
        at,
        f"It cannot be read whether this is a data module or a loader: {said}. Pass it as `datamodule=`, or as "
        "`train_dataloaders=` (`dataloaders=`, where it is no call of `fit`).",
    )


def goes_on_from(at: At, reason: str) -> Diagnostic:
    return here(
        at,
        f"A Trainer that fits again would go on with {reason}: the script's keeps its epoch and its steps alone. "
        "Make a Trainer for each `fit`.",
    )


def made_elsewhere(at: At) -> Diagnostic:
    return here(
        at,
        "Of which type this makes tensors is known only to Lightning: `precision` is no literal, or the model is "
        "sharded. Make the model outside of it: `fit` moves and converts it.",
    )


def made_empty(at: At) -> Diagnostic:
    return here(
        at,
        "Whether this makes a model of memory that is left as it was is known only to Lightning: `empty_init` is no "
        "literal, or the model is sharded. Leave it out, and load the weights.",
    )


def fit_shapes_differ(at: At, method: str = "fit") -> Diagnostic:
    return here(
        at,
        f"The calls of `{method}` differ in what they are given: the script takes data modules, or loaders, or both "
        "where the model has none of its own and the data module's hooks do not matter to them. Give them the same "
        "arguments.",
    )


def evaluation_stops(at: At, why: str, model: str = "") -> Diagnostic:
    """`model` is the class for which it does, where objects of others may be given too."""
    given = f" where it is given a `{model}`" if model else ""
    return here(at, f"Lightning stops here with an error{given}, and so does the script: {why}.", "warning")


def evaluation_of_another(at: At, why: str) -> Diagnostic:
    return here(at, f"The script stops here with an error, where Lightning may go on: {why}.", "warning")


def steps_of_another(at: At, model: str) -> Diagnostic:
    return here(
        at,
        "Lightning counts apart the steps of models that step their optimizers themselves, and those of others. When "
        f"a trainer has evaluated `{model}`, this is how many there were of its kind, 0 if there were none; in the "
        "script it goes on being those of the model that was trained. Ask for it before the evaluation.",
        "warning",
    )


def evaluation_on_one_device(at: At, method: str) -> Diagnostic:
    return here(
        at,
        f"Under Lightning this Trainer has one device: each process here runs `{method}` on all of the data. "
        "The script's ranks share the data out. So all of them have to come here, else they wait for each other; and "
        "what is logged without `sync_dist` is of a rank's share. A run of one process has Lightning's values.",
        "warning",
    )


def no_step_to_evaluate(at: At, method: str, cls: str, step: str) -> Diagnostic:
    return here(at, f"`{method}` needs a `{step}`, which `{cls}` has not. Write one, or remove the call.")


def no_data_to_evaluate(at: At, method: str, hook: str) -> Diagnostic:
    return here(
        at,
        f"It is not said on what data to run `{method}`: there is no `{hook}`. Give it a data module or a loader.",
    )


def evaluation_without_data(at: At, method: str, gives_loaders: bool) -> Diagnostic:
    instead = "E" if gives_loaders else f"Pass `datamodule` to `{method}` as well, or e"
    return here(
        at,
        "It cannot be told whether this trainer has been given a data module before, whose hooks Lightning would run "
        f"here too. {instead}valuate with a Trainer of its own.",
    )


def lacks_dataloader_idx(at: At, hook: str, may_be_one: bool = False) -> Diagnostic:
    """`may_be_one`: it is known when the script runs whether there are several."""
    stops = ": given them, the script stops with an error, as Lightning does" if may_be_one else ""
    return here(
        at,
        f"With several loaders, Lightning wants `{hook}` to have a parameter `dataloader_idx`{stops}. Add "
        "`dataloader_idx=0`.",
        "note" if may_be_one else "error",
    )


def training_left_out(at: At, function: str, callers: Sequence[str]) -> Diagnostic:
    """`callers` are files that import this one."""
    return here(
        at,
        f"`{function}` trains a model, and nothing in this file calls it: the script does without it, and trains "
        f"with what the spec says. Build the file that calls it{to_build(callers)}, or write into the spec's "
        "`trainer` what it sets.",
        "warning",
    )


def starts_nothing(at: At, function: str, callers: Sequence[str]) -> Diagnostic:
    """`callers` are files that import this one."""
    return here(
        at,
        f"`{function}` trains a model, and nothing in this file calls it. Build the file that does"
        f"{to_build(callers)}. For a script that starts the training by itself, name the classes in the "
        "spec, with what they are given: `model: {class_path: ..., init_args: {...}}`, and `data` alike.",
    )
