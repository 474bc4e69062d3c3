"""The order of the analysis, and the plans of everything outside the loop."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from .. import lightning_api as api
from .. import messages
from ..diagnostics import CompileError, Diagnostic
from ..names import free_name
from ..project import Class, Entry, Project, Statement
from ..reach import reached, used_by
from ..script import (
    DATA,
    LOGS,
    MODEL,
    CheckpointPlan,
    ConfigField,
    ConfigGroup,
    Construction,
    EvaluationPlan,
    FitPlan,
    Lines,
    LoggingPlan,
    MainPlan,
    Rewrites,
    Script,
    TrainerPlan,
    Words,
)
from ..spec import LoadedSpec, check_combinations
from ..spec_sections import Backend, Logger
from ..trainer_settings import TrainerSettings
from ..version import __version__
from . import (
    classes,
    data,
    entry,
    evaluated,
    hyperparameters,
    logging,
    loop,
    manual,
    objects,
    optimizers,
    own_main,
    settings,
    steps,
    unsupported,
)
from .callback_usage import add_callback_usage, check_by_hand, check_callbacks
from .callbacks import CallbackFacts, callback_facts, lightning_classes, with_classes
from .evaluation_plans import evaluation_plan
from .facts import Facts
from .hooks import callback_lines, hook
from .manual_plans import manual_plan
from .own_main import OwnMain
from .own_settings import SettingsReader
from .saved import (
    SavedHyperparameters,
    check_read,
    check_saved,
    logs_hyperparameters,
    may_set_hyperparameters,
    saved_hyperparameters,
)
from .stages import STAGES, VALIDATE, index_argument
from .update import optimizer_plan, update_lines
from .usage import Usage, usage_of
from .writers import given_loggers, writers


@dataclass(frozen=True)
class Analysis:
    """The script's plan, the project that it is made from, and what the user should know."""

    script: Script
    project: Project
    facts: Facts
    statements: tuple[Statement, ...]  # those that the script takes over
    own_main: tuple[Statement, ...]  # and those that run the training, where that stays the user's
    rewrites: Rewrites
    notes: tuple[Diagnostic, ...]


def analyze(project: Project, loaded: LoadedSpec, model_name: str | None, data_name: str | None) -> Analysis:
    """Decide on everything that the script holds.

    Raises CompileError with every construct that it would miss.
    """
    problems: list[Diagnostic] = []
    notes: list[Diagnostic] = list(project.notes)
    problems += own_main.trainers_made_elsewhere(project)
    project, own = _with_entry(project, problems)
    name, place = _wanted(loaded, "model", model_name, own.model if own else None)
    model = classes.choose_model(project, project.entry, name, place)
    name, place = _wanted(loaded, "data", data_name, own.data if own else None)
    source = classes.choose_data(project, project.entry, name, model, place) if name or not own else None
    named = _named_by_spec(loaded) if own is None else []
    statements = reached(project, [*(cls.name for cls in (model, source) if cls), *named])
    found = lightning_classes(project, statements)
    problems += unsupported.check_names(
        project,
        [statement.node for statement in statements],
        found.translated | (own.translated if own else frozenset()),
    )
    callbacks = callback_facts(project, statements, found, model, own)
    problems += check_callbacks(project, callbacks, called_hooks(own))
    facts = gather(project, loaded, model, source, own, callbacks, problems, notes)
    if facts is None or any(problem.severity == "error" for problem in problems):
        raise CompileError(problems)
    script = decide(facts, problems)
    rewrites = own_main.rewrites(own, loaded, script.config, facts.trainer_fields) if own else Rewrites()
    rewrites = with_classes(rewrites, found)
    last = _own_statements(project, statements, facts) if own else ()
    first = tuple(statement for statement in statements if statement not in last)
    return Analysis(script, project, facts, first, last, rewrites, tuple(_checked(problems, notes)))


def _own_statements(
    project: Project, statements: tuple[Statement, ...], facts: Facts
) -> tuple[Statement, ...]:
    """The entry's statements that run the training: what the classes need stands above."""
    needed = used_by(project, [cls.name for cls in (facts.model, facts.data) if cls])
    entry_path = os.path.basename(project.source.path)
    return tuple(each for each in statements if each not in needed and each.origin.path == entry_path)


def _named_by_spec(loaded: LoadedSpec) -> list[str]:
    """Classes that the spec's arguments are objects of."""
    sections = (loaded.spec.model.init_args, loaded.spec.data.init_args)
    paths = (path for section in sections for path in objects.class_paths(dict(section)))
    return [path.rpartition(".")[2] for path in paths]


def _with_entry(project: Project, problems: list[Diagnostic]) -> tuple[Project, OwnMain | None]:
    """The project without the entry's code, where that is taken over; where it is not so simple, it stays."""
    found = entry.read_entry(project)
    if found.lost and own_main.builds_trainer(project):
        statements = reached(project, ())
        own = own_main.read_own_main(project, statements, problems)
        problems += own_main.instantiated(project, own, statements)
        return project, own
    problems += [messages.entry_statement_lost((project.source, node)) for node in found.lost]
    kept = tuple(statement for statement in project.statements if statement not in found.statements)
    return replace(project, entry=found.entry, statements=kept), None


def _wanted(
    loaded: LoadedSpec, section: str, option: str | None, fitted: str | None
) -> tuple[str | None, messages.Place | None]:
    """The class for a section: the command line's, the spec's with its place in it, or the one that is fitted."""
    if option is not None:
        return option, None
    name = getattr(loaded.spec, section).class_name
    return name if name is not None else fitted, loaded.place(f"{section}.class_path")


def _checked(problems: list[Diagnostic], notes: list[Diagnostic]) -> list[Diagnostic]:
    if any(problem.severity == "error" for problem in problems):
        raise CompileError(problems)
    return [*problems, *notes]


def gather(
    project: Project,
    loaded: LoadedSpec,
    model: Class,
    source: Class | None,
    own: OwnMain | None,
    callbacks: CallbackFacts,
    problems: list[Diagnostic],
    notes: list[Diagnostic],
) -> Facts | None:
    """The facts; None where what is wrong leaves nothing to go on with."""
    usage, data_usage = usage_of(project, model), usage_of(project, source) if source else Usage()
    callbacks = replace(callbacks, supers=add_callback_usage(project, callbacks.own, usage))
    problems += [problem for cls in (model, source) if cls for problem in check_saved(project, cls)]
    problems += check_read(project, model, usage)
    for section, cls, call in ("model", model, project.entry.model), ("data", source, project.entry.data):
        if cls and own is None:
            hyperparameters.ConstructionReader(project, loaded, section, cls, call, problems).read(set())
    evaluations = evaluated.evaluations(project, own, model, source, problems) if own else ()
    called = frozenset(hook for each in evaluations for hook in each.stage.called)
    problems += unsupported.check_module(project, model, usage, called)
    problems += unsupported.check_loggers(project, model, usage, own)
    problems += unsupported.check_data_module(project, source, data_usage, called) if source else []
    chosen, expressions = settings.trainer_settings(project, loaded, problems, notes), frozenset[str]()
    if own:
        problems += own_main.check_own_main(project, own)
        read = SettingsReader(project, loaded, problems, notes).read(own.trainers)
        chosen, expressions = read.settings, read.expressions
    problems += check_combinations(loaded, chosen.accumulate_grad_batches)
    seed, seeds_workers = settings.seed_of(project, loaded)
    seeds_workers = seeds_workers or (own is not None and own.seeds_workers)
    facts = logging.logging_facts(project, model, usage, [each.stage for each in evaluations])
    problems += logging.check_logging(project, model, usage, facts)
    problems += data.check_loaders(project, "train_dataloader", model, source)
    off = manual.turned_off(project, model, usage, problems)
    if off:
        problems += manual.check_manual(project, loaded, off, chosen, expressions)
        problems += check_by_hand(project, callbacks)
        asked = (own.attributes if own else {}).get("lr_scheduler_configs", ())
        problems += manual.check_schedules(project, [*usage.trainer.get("lr_scheduler_configs", ()), *asked])
        by_hand = manual.manual_form(project, model, usage)
        form = replace(optimizers.NONE, read=by_hand.read)
    else:
        problems += manual.check_automatic(project, model, usage)
        listed = callbacks.trainer_fields | {*usage.trainer, *(own.attributes if own else ())}
        by_hand, form = None, optimizers.optimizer_form(
            project, model, problems, "lr_scheduler_configs" in listed
        )
    train = data.loader_facts(project, "train_dataloader", model, source)
    if own and own.gives_train:
        train = data.given_loader(project, "train_loader")
    if evaluations and own and not own.fits and train is None:
        train = data.given_loader(project, "train_loader")  # of which nothing is asked
    problems += _missing(project, model, train)
    if train is None or "training_step" not in model.methods:
        return None
    problems += _step_problems(project, model)
    val = evaluated.validation_loader(project, own, model, source)
    problems += _shares_of_streams(project, chosen, model, source, train, val)
    problems += evaluated.check_several(project, model, source, val, evaluations, facts)
    output = steps.training_output(project, model)
    return Facts(
        project,
        loaded,
        chosen,
        seed,
        seeds_workers,
        model,
        source,
        usage,
        data_usage,
        facts,
        form,
        train,
        val,
        output,
        by_hand,
        own,
        callbacks,
        given_loggers(own.trainers if own else ()),
        expressions,
        evaluations,
    )


def _shares_of_streams(
    project: Project,
    chosen: TrainerSettings,
    model: Class,
    source: Class | None,
    train: data.LoaderFacts,
    val: data.LoaderFacts | None,
) -> Iterator[Diagnostic]:
    """Settings that are shares of the length of a stream, which has none."""
    counted = type(chosen.limit_train_batches) is int
    settings_of = [
        (train, "limit_train_batches", False),
        (train, "val_check_interval", counted),
        (val, "limit_val_batches", False),
    ]
    for loader, name, is_known in settings_of:
        value = getattr(chosen, name)
        is_share = type(value) is float and value != 1.0
        if loader is not None and loader.dataset == "unsized" and is_share and not is_known:
            owner = source if source is not None and loader.owner == "data" else model
            yield messages.share_of_a_stream((project.source, owner.methods[loader.hook].name), name)


def _missing(project: Project, model: Class, train: data.LoaderFacts | None) -> list[Diagnostic]:
    at = (project.source, model.node.name)
    missing = [] if "training_step" in model.methods else [messages.no_training_step(at, model.name)]
    return missing + ([messages.no_data(at, model.name)] if train is None else [])


def _step_problems(project: Project, model: Class) -> list[Diagnostic]:
    found = []
    step = model.methods["training_step"]
    if "dataloader_iter" in steps.positional_names(step):
        found.append(messages.dataloader_iter((project.source, step.name)))
    return found


# ---- decisions -------------------------------------------------------------------------------------------


def decide(facts: Facts, problems: list[Diagnostic]) -> Script:
    """The script's plan."""
    saved = saved_hyperparameters(facts.model)
    update = update_lines(facts)
    config, constructions = config_and_constructions(facts, problems)
    return Script(
        words=words(facts),
        config=config,
        model=facts.model.name,
        data=facts.data.name if facts.data else None,
        trainer=trainer_plan(facts),
        hooks=hook_lines(facts),
        optimizer=optimizer_plan(facts, loop.is_last_batch(facts)),
        manual=manual_plan(facts),
        logging=logging_plan(facts),
        validation=loop.validation_plan(facts),
        evaluations=evaluation_plans_of(facts),
        loop=loop.loop_plan(facts, update.update, update.before, update.backward, update.zero_grad),
        checkpoint=checkpoint_plan(facts, saved),
        fit=fit_plan(facts),
        main=main_plan(facts, config, constructions),
        callback_members=callback_members(facts),
        callbacks=facts.callbacks.made,
        tells_loggers=facts.callbacks.tells_loggers,
        module_members=module_members(facts),
        data_members=frozenset(facts.data_usage.supers) - {"__init__"} if facts.data else frozenset(),
        hparams_members=frozenset(
            {"__getattr__", *(["__setattr__"] if may_set_hyperparameters(facts.project) else [])}
        ),
        logs_attribute=free_name(LOGS, facts.usage.own_names(facts.model)),
        source_name=_printable(facts.project.source.path),
    )


def _printable(path: str) -> str:
    """A file's name, as it can stand in a docstring or a comment."""
    return re.sub(r"[^\w .()+-]", "?", path.rpartition("/")[2])


def words(facts: Facts) -> Words:
    """What the script's docstring says."""
    name = _printable(f"train_{facts.loaded.name}.py")
    spec = _printable((facts.loaded.path or facts.loaded.name).replace("\\", "/"))
    source = _printable(facts.project.source.path)
    how = "with DistributedDataParallel" if facts.is_ddp else "in one process"
    launch = [(f"python {name}", "one process")]
    if facts.is_ddp:
        launch.append((f"torchrun --nproc-per-node=8 {name}", "one node, eight devices"))
    if facts.resumes_when_told:
        launch.append((f"{launch[-1][0]} --resume", "go on where the last run stopped"))
    width = max(len(command) for command, _ in launch) + 2
    return Words(
        summary=f"{'Train' if facts.trains else 'Evaluate'} {facts.model.name} {how}.",
        launch=tuple(f"{command:{width}}# {what}" for command, what in launch),
        about=_about(facts),
        source_note=f"Generated by ddpgen {__version__} from {source} and {spec}. Yours to edit.",
    )


def _about(facts: Facts) -> Lines:
    """When gradients are averaged, where that is not as everyone expects."""
    if "shared" in facts.trainer_fields:
        return ("Gradients are averaged over the ranks in each `manual_backward`.",)
    is_noted = (facts.is_ddp and facts.accumulates) or facts.syncs_by_hand
    return SYNC_SENTENCES[facts.sync.value] if is_noted else ()


SYNC_SENTENCES: dict[str, Lines] = {
    "single_auto_sync": (
        "Gradients are averaged over the ranks once per optimizer step (single_auto_sync).",
    ),
    "multi_auto_sync": (
        "Gradients are averaged over the ranks in every batch's backward (multi_auto_sync).",
    ),
    "forced_sync": ("Gradients are averaged over the ranks by hand, once per optimizer step (forced_sync).",),
}


def trainer_plan(facts: Facts) -> TrainerPlan | None:
    """What the script's Trainer holds; None: the code reads nothing of it."""
    if not facts.has_trainer:
        return None
    settings_ = facts.settings
    values = {
        "max_epochs": "config.max_epochs" if loop.has_max_epochs(facts) else "-1",
        "max_steps": "config.max_steps" if facts.has_max_steps else "-1",
        "accumulate_grad_batches": loop.ACCUMULATE if facts.accumulates else "1",
        "log_every_n_steps": str(settings_.log_every_n_steps),
        "gradient_clip_val": "config.gradient_clip_val" if settings_.gradient_clip_val else "None",
        "gradient_clip_algorithm": repr(settings_.gradient_clip_algorithm),
        "default_root_dir": "str(config.out)",
        "check_val_every_n_epoch": (
            "config.check_val_every_n_epoch"
            if (settings_.check_val_every_n_epoch or 1) > 1 and facts.has_validation
            else str(settings_.check_val_every_n_epoch)
        ),
        "val_check_interval": str(settings_.val_check_interval),
        "ckpt_path": "ckpt_path" if facts.own_main and facts.own_main.gives_checkpoint else "None",
        "world_size": "ranks.world_size",
        "global_rank": "ranks.rank",
        "datamodule": "data" if facts.data else "None",
        "callback_metrics": "model",
        "model": "model",
    }
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
    if facts.own_main:
        told_lines = (f"trainer.{name} = {code}" for name, code in told.items())
        start = ("model.trainer = trainer", *told_lines, *own_callbacks)
        return TrainerPlan(start, frozenset({*members, "config"}))
    variable = "trainer = " if _updates_trainer(facts) else ""
    arguments = ", ".join(f"{name}={code}" for name, code in told.items())
    start = (f"{variable}model.trainer = Trainer({arguments})", *own_callbacks)
    return TrainerPlan(start, frozenset(members))


TRAINER_DEFAULTS = {"ckpt_path": "None", "check_val_every_n_epoch": "1", "val_check_interval": "1.0"}
"""What the script's Trainer says anyway."""


def _updates_trainer(facts: Facts) -> bool:
    """Whether `fit` does more with its Trainer than to make it."""
    changing = {"current_epoch", "global_step", "num_training_batches", "estimated_stepping_batches"}
    changing |= {"optimizers", "counted_optimizers", "schedulers", "shared"}
    changing |= {"sanity_checking"} if loop.checks_sanity(facts) else set()
    return bool(changing & facts.trainer_fields or facts.callbacks) or (
        facts.data is not None and "trainer" in facts.data_usage.reads
    )


def evaluation_plans_of(facts: Facts) -> tuple[EvaluationPlan, ...]:
    """The functions that take the place of `trainer.validate`, `test` and `predict`."""
    plans = []
    for each in facts.evaluations:
        has_data = each.gives("datamodule")
        start = trainer_plan(facts)
        told = (
            tuple(line for line in start.start if has_data or not line.endswith(" = data")) if start else ()
        )
        attached = ("data.trainer = trainer",) if has_data and "trainer" in facts.data_usage.reads else ()
        stage = each.stage.method
        prepared = (*_preparing_lines(facts, has_data), *logger_lines(facts)["open_loggers"])
        setup, teardown = (stage_lines(facts, name, f'"{stage}"', has_data) for name in ("setup", "teardown"))
        teardown = (*teardown, *logger_lines(facts)["close_loggers"])
        writers_ = writers(facts.evaluation_writes, facts.given_loggers)
        if "state_fn" in facts.trainer_fields:
            told = (*told, f'trainer.state_fn = "{stage}"')
            teardown = (*teardown, 'trainer.state_fn = "fit"')
        plan = evaluation_plan(facts, each, (*told, *attached), (*prepared, *setup), teardown, writers_)
        plans.append(plan)
    return tuple(plans)


def stage_lines(facts: Facts, name: str, argument: str, has_data: bool) -> Lines:
    """The calls of `prepare_data`, `setup` or `teardown`."""
    calls = {
        owner: (f"{owner}.{name}({argument})",) if cls and name in cls.methods else ()
        for owner, cls in (("data", facts.data if has_data else None), ("model", facts.model))
    }
    return (*calls["data"], *callback_lines(facts, name, argument), *calls["model"])


def _preparing_lines(facts: Facts, has_data: bool) -> Lines:
    lines = stage_lines(facts, "prepare_data", "", has_data)
    if not (lines and facts.is_ddp):
        return lines
    return ("if ranks.local_rank == 0:", *optimizers.indented(lines), "wait_for_ranks()")


def hook_lines(facts: Facts) -> dict[str, Lines]:
    """The calls of hooks outside a batch's forward, backward and update."""
    arguments = {
        "on_train_batch_start": "batch, batch_idx",
        "on_train_batch_end": f"{_outputs(facts)}, batch, batch_idx",
        "on_load_checkpoint": "checkpoint",
        "on_save_checkpoint": "checkpoint",
    }
    for stage in STAGES.values():
        for part, given in (("batch_start", "batch, batch_idx"), ("batch_end", "outputs, batch, batch_idx")):
            name = f"on_{stage.name}_{part}"
            arguments[name] = given + index_argument(facts.model, name, facts.has_several(stage))
    names = (api.HOOKS | api.EVALUATION_HOOKS) - {"setup", "prepare_data", "teardown"}
    lines = {name: hook(facts, name, arguments.get(name, "")) for name in sorted(names)}
    lines |= logger_lines(facts)
    lines["callbacks_on_save_checkpoint"] = callback_lines(facts, "on_save_checkpoint", "checkpoint")
    saved = "on_save_checkpoint"
    lines["model_on_save_checkpoint"] = lines[saved][-1:] if facts.has_hook(saved) else ()
    lines["on_load_checkpoint"] = (
        lines["on_load_checkpoint"][-1:] if facts.has_hook("on_load_checkpoint") else ()
    )
    lines["prepare_data"] = _preparing_lines(facts, has_data=True)
    lines |= {name: stage_lines(facts, name, '"fit"', has_data=True) for name in ("setup", "teardown")}
    lines["moved"] = ("model.device = device",) if "device" in module_members(facts) else ()
    if facts.may_skip:
        lines["on_train_batch_start"] = loop.skipping_lines(facts)
    lines["attach"] = (
        ("data.trainer = trainer",) if facts.data and "trainer" in facts.data_usage.reads else ()
    )
    return lines


def logger_lines(facts: Facts) -> dict[str, Lines]:
    """What becomes of logger objects before and after training."""
    lines: dict[str, Lines] = dict.fromkeys(
        ("open_loggers", "log_hyperparameters", "close_loggers", "lend_writers"), ()
    )
    if facts.lends_writers:
        lent = ", ".join(f"LentWriter({variable}, trainer)" for variable, _ in facts.writers)
        return {**lines, "lend_writers": (f"trainer.loggers = [{lent}]",)}
    if not facts.given_loggers.are_objects:
        return lines
    owners = [("model", facts.model), ("data", facts.data)]
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
    return loop.step_outputs(facts)


def called_hooks(own: OwnMain | None) -> frozenset[str]:
    """The hooks and steps of what the user's own main runs beside training."""
    methods = {call.method for call in own.evaluations} if own else set()
    return frozenset(hook for method in methods for hook in STAGES[method].called)


def callback_members(facts: Facts) -> frozenset[str]:
    """The members of Callback that the script uses."""
    uncalled = api.EVALUATION_HOOKS - called_hooks(facts.own_main)
    return (
        (facts.callbacks.hooks - uncalled)
        | facts.callbacks.supers
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
    wanted |= {"device"} if facts.callbacks.given("LearningRateMonitor") else set()
    wanted |= {LOGS} if facts.logging.calls or facts.reads_callback_metrics else set()
    wanted |= (
        {"hparams"}
        if "hparams" in facts.usage.writes or "save_hyperparameters" in facts.usage.reads
        else set()
    )
    if "load_from_checkpoint" in facts.project.source.text:
        wanted |= {"load_from_checkpoint", "on_load_checkpoint"} - own
    return frozenset(wanted - {"save_hyperparameters"})


def logging_plan(facts: Facts) -> LoggingPlan:
    """What is logged where, and what writes it."""
    logged = facts.logging
    shows_bar_values = facts.shows_bar and logged.shows_in_bar and _logs_by_step(facts)
    unused = logged.unused_options
    absent = {
        "forks": str(logged.twofold),
        "bare_names": "()" if not (facts.keeps_latest and logged.twofold) else None,
        "in_bar": "()" if not shows_bar_values else None,
        "hidden": "()" if "logger" in unused else None,
        "metrics": "()" if not logged.has_metric_objects else None,
        "latest": "()" if not facts.keeps_latest else None,
        **_untold(facts),
        "is_read": str(facts.reads_callback_metrics or facts.logs_of_several),
        "computed": "{}" if not (facts.reads_callback_metrics or facts.logs_of_several) else None,
        "dataloader_idx": "None" if not facts.logs_of_several else None,
        "loader_of": "{}" if not facts.tells_loaders else None,
        "batches_written": "0" if not logged.by_validation_step else None,
        "syncs_steps": str(logged.syncs_steps),
    }
    return LoggingPlan(
        start=_start_lines(facts),
        in_training=logged.in_training,
        in_validation=logged.in_validation and facts.has_validation,
        by_step=_logs_by_step(facts),
        by_validation_step=logged.by_validation_step and facts.has_validation,
        by_epoch=logged.by_epoch,
        hides="logger" not in unused,
        shows_bar_values=shows_bar_values,
        begin_batch=loop.begin_batch(facts),
        end_batches=loop.end_batches(facts),
        writers=facts.writers,
        show="show_above_bar" if facts.shows_bar else "show",
        unused_options=unused,
        absent={name: value for name, value in absent.items() if value is not None},
        present=_present(facts),
        absent_types=frozenset() if logged.has_metric_objects else frozenset({"Metric"}),
    )


def _untold(facts: Facts) -> dict[str, str]:
    """The attributes of Logs that tell no batch, with the value that they have throughout."""
    told = facts.logged_batch
    if told is None:
        return {"batch_size": "1", "batch": "None"}
    return {"batch_size": "None"} if told[0] == "batch" else {"batch": "None"}


def _present(facts: Facts) -> dict[str, str]:
    """Attributes of Logs that are never None, as it is asked for values within batches alone."""
    logged = facts.logging
    around = any(logged.around(stage) for stage in STAGES.values())
    outside = logged.between_batches or around or facts.reads_callback_metrics
    return {} if outside else {"batch_size": "1"}


def _logs_by_step(facts: Facts) -> bool:
    shown = facts.writers or (facts.shows_bar and facts.logging.shows_in_bar)
    return facts.logging.by_step and facts.settings.log_every_n_steps > 0 and bool(shown)


def _start_lines(facts: Facts) -> Lines:
    logged = facts.logging
    lines = []
    targets = []
    if logged.in_training:
        lines.append(f"train_logs = model.{LOGS} = Logs(training=True, device=device)")
        targets.append("train_logs.latest")
    if logged.in_validation and facts.has_validation:
        is_read = facts.reads_callback_metrics and not logged.in_training
        variables = f"val_logs = model.{LOGS}" if is_read else "val_logs"
        lines.append(f"{variables} = Logs(training=False, device=device)")
        targets.append("val_logs.latest")
    if facts.reads_callback_metrics and not lines:  # of nothing
        lines.append(f"model.{LOGS} = Logs(training=True, device=device)")
        targets.append(f"model.{LOGS}.latest")
    if facts.keeps_latest:
        lines.append("latest: dict[str, Tensor] = {}")
        lines += [f"{target} = latest" for target in targets]
    return tuple(lines)


def checkpoint_plan(facts: Facts, saved: SavedHyperparameters) -> CheckpointPlan | None:
    """What a checkpoint holds beside weights and optimizer."""
    options = facts.loaded.spec.checkpoint
    if not facts.writes_last and not facts.dumps:
        return None
    entries, states, restore = [], [], []
    if saved.name:
        if saved.name != "kwargs":
            entries.append(f'"hparams_name": "{saved.name}",')
        values = "dict(model.hparams)" if saved.are_plain else "plain_entries(model.hparams)"
        entries.append(f'"hyper_parameters": {values},')
    if facts.keeps_latest:
        states.append('"callback_metrics": dict(latest),')
        restore.append('latest.update(checkpoint["callback_metrics"])')
    if facts.logging.by_validation_step and facts.has_validation:
        states.append('"val_batches_written": val_logs.batches_written,')
        restore.append('val_logs.batches_written = checkpoint["val_batches_written"]')
    if facts.counts_batches:
        states.append('"batches_seen": batches_seen,')
        restore.append('batches_seen = checkpoint["batches_seen"]')
    if loop.step_count(facts) == "batches_done":
        states.append('"batches_done": batches_done,')
        restore.append('batches_done = checkpoint["batches_done"]')
    generators = [
        name
        for name, loader in (("train_loader", facts.train), ("val_loader", facts.val))
        if loader and loader.has_generator
    ]
    if generators and not (generators == ["val_loader"] and not facts.has_validation):
        loaders = ", ".join(name for name in generators if name == "train_loader" or facts.has_validation)
        state = f"generator_states({loaders})"
        states.append(
            f'"generator_states": {f"gather_from_ranks({state}, ranks)" if facts.is_ddp else f"[{state}]"},'
        )
        rank = 'ranks.rank % len(checkpoint["generator_states"])' if facts.is_ddp else "0"
        restore.append(f'set_generator_states(checkpoint["generator_states"][{rank}], {loaders})')
    if facts.logging.logged and Logger.JSONL in facts.writes:
        restore.append("metrics_file.drop_from(first_epoch)")
    if facts.is_ddp:
        restore.append('states = checkpoint["rng_states"]  # another world size shares them')
        restore.append("set_rng_state(states[ranks.rank % len(states)])")
    else:
        restore.append('set_rng_state(checkpoint["rng_states"][0])')
    restore += ["batches = None  # those of the first epoch"] if facts.starts_early else []
    rng = "gather_from_ranks(rng_state(), ranks)" if facts.is_ddp else "[rng_state()]"
    due = None
    if options and options.every_n_epochs > 1:
        due = "(epoch + 1) % config.checkpoint_every_n_epochs == 0"
        due += " or epoch + 1 == config.max_epochs" if loop.has_max_epochs(facts) else ""
        due += " or global_step >= config.max_steps" if facts.has_max_steps else ""
        due += " or trainer.should_stop" if facts.may_stop else ""
    if facts.saves_inside:
        within = "batch_idx + 1 < num_batches" if facts.is_sized else "not is_last_batch"
        states.append(f'"within_epoch": {within},')
    return CheckpointPlan(
        found=_found_checkpoint(facts),
        must_agree=facts.is_ddp,
        is_due=due,
        entries=tuple(entries),
        restore=tuple(restore),
        rng_states=rng,
        writes_last=facts.writes_last,
        dumps=facts.dumps,
        state_entries=(*_callback_entries(facts), *states),
        load_callbacks=_loaded_callbacks(facts),
    )


def _callback_entries(facts: Facts) -> Lines:
    return ('"callbacks": callback_states(trainer.callbacks),',) if facts.callbacks.has_state else ()


def _loaded_callbacks(facts: Facts) -> Lines:
    """What callbacks are told of a checkpoint, after the weights are loaded."""
    told = callback_lines(facts, "on_load_checkpoint", "checkpoint")
    load = (
        ('load_callback_states(trainer.callbacks, checkpoint["callbacks"])',)
        if facts.callbacks.has_state
        else ()
    )
    whole = ("require_whole_epoch(checkpoint)",) if facts.saves_inside else ()
    return (*whole, *told, *load)


def _found_checkpoint(facts: Facts) -> Lines:
    if facts.resumes_when_told:
        return ("checkpoint = read_checkpoint(last) if config.resume and last.exists() else None",)
    is_given = facts.own_main is not None and facts.own_main.gives_checkpoint
    if not facts.may_resume:
        given_alone = "checkpoint = read_checkpoint(Path(ckpt_path)) if ckpt_path else None"
        return (given_alone,) if is_given else ()
    given = "ckpt_path" if is_given else "None"
    return (
        f"path = checkpoint_to_resume(last, {given})",
        "checkpoint = read_checkpoint(path) if path else None",
    )


def fit_plan(facts: Facts) -> FitPlan:
    """What `fit` is given, and what it does first and last."""
    own = facts.own_main
    parameters = [f"model: {MODEL}", *([f"data: {DATA}"] if facts.data else [])]
    if own is None:
        return FitPlan(True, (*parameters, "config: Config", "ranks: Ranks", "device: torch.device"), (), ())
    parameters.append("trainer: Trainer" if facts.has_trainer else "config: Config")
    parameters += ["train_loader: Any"] if own.gives_train else []
    parameters += ["val_loader: Any"] if own.gives_val else []
    parameters += ["ckpt_path: str | Path | None = None"] if own.gives_checkpoint else []
    start: Lines = ("config = trainer.config",) if facts.has_trainer else ()
    start += ("trainer.should_stop = False",) if facts.may_stop else ()
    barrier = ("if ranks.world_size > 1:", "    dist.barrier()  # none goes on before the slowest")
    told = ("trainer.batches_done = batches_done",) if "batches_done" in facts.trainer_fields else ()
    end = (*told, *(barrier if facts.is_ddp else ()))
    return FitPlan(facts.trains, tuple(parameters), (*start, "ranks, device = start()"), end)


def main_plan(
    facts: Facts, config: tuple[ConfigGroup, ...], constructions: tuple[tuple[str, Construction], ...]
) -> MainPlan:
    """The order of `main`."""
    group = facts.loaded.spec.process_group
    automatic = group.backend is Backend.AUTO
    backend = '"nccl" if device.type == "cuda" else "gloo"' if automatic else f'"{group.backend.value}"'
    prologue: list[str] = []
    if facts.settings.deterministic:
        prologue.append('os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")')
        only_warn = ", warn_only=True" if facts.settings.deterministic == "warn" else ""
        prologue.append(f"torch.use_deterministic_algorithms(True{only_warn})")
        prologue.append("torch.backends.cudnn.benchmark = False")
    first = (f"seed_run({facts.seed}, workers={facts.seeds_workers})",) if facts.seed is not None else ()
    required = {field.name: field.type for group in config for field in group.fields if field.default is None}
    return MainPlan(
        required=(
            "{" + ", ".join(f'"{name}": {kind}' for name, kind in required.items()) + "}" if required else ""
        ),
        is_own=facts.own_main is not None,
        first=first if facts.own_main else (),
        ranks="ranks_from_env()" if facts.is_ddp else "sole_rank()",
        constructions=constructions,
        fit_arguments="".join(f"{variable}, " for variable, _ in constructions),
        seeds=facts.has_seed,
        prologue=tuple(prologue),
        is_distributed=facts.is_ddp,
        backend=backend,
        timeout=_timeout(group.timeout.total_seconds()),
    )


def _timeout(seconds: float) -> str:
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds % length == 0:
            return f"timedelta({unit}={seconds / length:.0f})"
    return f"timedelta(seconds={seconds:g})"


# ---- config ----------------------------------------------------------------------------------------------


def config_and_constructions(
    facts: Facts, problems: list[Diagnostic]
) -> tuple[tuple[ConfigGroup, ...], tuple[tuple[str, Construction], ...]]:
    """The fields of Config, and how `main` makes the model and the data."""
    training = ConfigGroup("training", training_fields(facts))
    if facts.own_main:
        return (training,), ()
    # argparse has the latter two itself
    taken = {field.name for field in training.fields} | {"help", "no_resume"}
    groups, constructions = [], []
    found: Entry = facts.project.entry
    wanted = [("model", facts.model, found.model), ("data", facts.data, found.data)]
    for variable, cls, call in wanted:
        if cls is None:
            continue
        if cls.name in RESERVED:
            problems.append(messages.reserved_class_name((facts.project.source, cls.node.name), cls.name))
        reader = hyperparameters.ConstructionReader(
            facts.project, facts.loaded, variable, cls, call, problems
        )
        construction, fields = reader.read(taken)
        construction = replace(construction, class_name=MODEL if cls is facts.model else DATA)
        constructions.append((variable, construction))
        groups += [ConfigGroup(cls.name, fields)] if fields else []
    return (*groups, training), tuple(constructions)


RESERVED = frozenset("model data config ranks device backend".split())


def training_fields(facts: Facts) -> tuple[ConfigField, ...]:
    """The settings of training that the script uses."""
    given = facts.settings
    fields = []
    if loop.has_max_epochs(facts):
        fields.append(
            ConfigField("max_epochs", "int", str(1000 if given.max_epochs is None else given.max_epochs))
        )
    if facts.has_max_steps:
        fields.append(
            ConfigField("max_steps", "int", str(given.max_steps), "optimizer steps, over all epochs")
        )
    if facts.accumulates:
        count = str(given.accumulate_grad_batches)
        fields.append(ConfigField("accumulate_grad_batches", "int", count, "batches to an optimizer step"))
    if given.gradient_clip_val and (facts.form.exists or "gradient_clip_val" in facts.trainer_fields):
        what = "of each gradient" if given.gradient_clip_algorithm == "value" else "of the gradients' norm"
        kind, limit = "float", str(float(given.gradient_clip_val))
        if facts.is_expression("gradient_clip_val"):
            kind, limit = "float | None", "None"
        fields.append(ConfigField("gradient_clip_val", kind, limit, f"limit {what}"))
    if _logs_by_step(facts):
        fields.append(ConfigField("log_every_n_steps", "int", str(given.log_every_n_steps)))
    fields += _limit_fields(facts)
    if facts.loaded.spec.checkpoint and facts.loaded.spec.checkpoint.every_n_epochs > 1:
        fields.append(
            ConfigField("checkpoint_every_n_epochs", "int", str(facts.loaded.spec.checkpoint.every_n_epochs))
        )
    if facts.seed is not None and not facts.own_main:
        fields.append(ConfigField("seed", "int", str(facts.seed)))
    if not facts.trains:
        asked = {each.stage.limit for each in facts.evaluations} | facts.trainer_fields
        fields = [field for field in fields if field.name in asked]
    fields.append(_out_field(facts))
    if facts.resumes_when_told:
        fields.append(ConfigField("resume", "bool", "False", "go on from out/last.ckpt, where there is one"))
    return tuple(fields)


def _limit_fields(facts: Facts) -> list[ConfigField]:
    given = facts.settings
    fields = []
    if given.limit_train_batches != 1.0 or type(given.limit_train_batches) is int:
        fields.append(_limit_field("limit_train_batches", given.limit_train_batches, "an epoch"))
    stages = {each.stage for each in facts.evaluations} | ({VALIDATE} if facts.has_validation else set())
    for stage in STAGES.values():
        limit = getattr(given, stage.limit)
        if stage in stages and (limit != 1.0 or type(limit) is int):
            fields.append(_limit_field(stage.limit, limit, LIMITED[stage.method]))
    if not facts.has_validation:
        return fields
    if (given.check_val_every_n_epoch or 1) > 1:
        fields.append(ConfigField("check_val_every_n_epoch", "int", str(given.check_val_every_n_epoch)))
    if given.val_check_interval != 1.0 or type(given.val_check_interval) is int:
        counts = type(given.val_check_interval) is int
        unit = (
            "batches from one validation to the next"
            if counts
            else "of an epoch from one validation to the next"
        )
        kind = "int" if counts else "float"
        fields.append(ConfigField("val_check_interval", kind, str(given.val_check_interval), unit))
    if given.num_sanity_val_steps > 0:
        count = str(given.num_sanity_val_steps)
        fields.append(
            ConfigField("num_sanity_val_steps", "int", count, "batches of validation, tried before training")
        )
    return fields


LIMITED = {"validate": "a validation", "test": "a test", "predict": "a prediction"}


def _limit_field(name: str, value: float, what: str) -> ConfigField:
    if type(value) is int:
        return ConfigField(name, "int", str(value), f"batches of {what}")
    return ConfigField(name, "float", str(value), f"share of the batches of {what}")


def _out_field(facts: Facts) -> ConfigField:
    options = facts.loaded.spec.checkpoint
    folder = (options.dir if options else None) or facts.settings.default_root_dir
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", facts.model.name).lower()
    writes = facts.writes or facts.writes_evaluations
    files = [name for name, kept in (("metrics", writes), ("last.ckpt", facts.trains and options)) if kept]
    comment = (
        f"{' and '.join(files)} {'are' if len(files) > 1 or files == ['metrics'] else 'is'} written here"
        if files
        else ""
    )
    return ConfigField("out", "Path", f"Path({folder or f'runs/{snake}'!r})", comment)
