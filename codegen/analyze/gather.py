"""All facts, found out one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .. import messages
from ..diagnostics import Diagnostic
from ..project import Class, Project
from ..spec import LoadedSpec, check_combinations
from ..trainer_settings import TrainerSettings
from . import (
    data,
    evaluated,
    hyperparameters,
    logging,
    manual,
    optimizers,
    own_main,
    settings,
    steps,
    unsupported,
)
from .callback_usage import add_callback_usage, check_by_hand, check_callback_logs
from .callbacks import CallbackFacts
from .facts import Facts
from .own_main import OwnMain
from .own_settings import SettingsReader
from .saved import (
    check_read,
    check_saved,
)
from .stages import STAGE_OF_LOADER
from .usage import Usage, usage_of
from .writers import given_loggers


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
    problems += check_callback_logs(project, callbacks, usage)
    problems += [problem for cls in (model, source) if cls for problem in check_saved(project, cls)]
    problems += check_read(project, model, usage)
    for section, cls, call in ("model", model, project.entry.model), ("data", source, project.entry.data):
        if cls and own is None:
            hyperparameters.ConstructionReader(project, loaded, section, cls, call, problems).read(set())
    evaluations = evaluated.evaluations(project, own, model, source, problems) if own else ()
    called = frozenset(hook for each in evaluations for hook in each.stage.called)
    problems += unsupported.check_module(project, model, usage, called)
    asked = unsupported.loggers_asked(model, (usage, data_usage), own)
    entry_trainer = (project.entry.trainer,) if project.entry.trainer else ()
    loggers = given_loggers(own.trainers if own else entry_trainer, loaded, bool(asked))
    problems += unsupported.check_set(project, (usage, data_usage), own)
    problems += unsupported.check_loggers(project, asked, loggers)
    problems += unsupported.check_data_module(project, source, data_usage, called) if source else []
    chosen, expressions = settings.trainer_settings(project, loaded, problems, notes), frozenset[str]()
    if own:
        problems += own_main.check_own_main(project, own)
        read = SettingsReader(project, loaded, problems, notes).read(own.trainers)
        chosen, expressions = read.settings, read.expressions
    scheduled = callbacks.given("GradientAccumulationScheduler")
    problems += check_combinations(loaded, max(chosen.accumulate_grad_batches, 1 + scheduled))
    seed, seeds_workers = settings.seed_of(project, loaded)
    seeds_workers = seeds_workers or (own is not None and own.seeds_workers)
    facts = logging.logging_facts(project, model, usage, [each.stage for each in evaluations])
    problems += logging.check_logging(project, model, usage, facts)
    off = manual.turned_off(project, model, usage, problems)
    if off:
        problems += manual.check_manual(project, loaded, off, chosen, expressions)
        problems += check_by_hand(project, callbacks)
        listed_in_main = (own.attributes if own else {}).get("lr_scheduler_configs", ())
        problems += manual.check_schedules(
            project, [*usage.trainer.get("lr_scheduler_configs", ()), *listed_in_main]
        )
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
        given = [value for fit in own.fits if (value := fit.expression("train_dataloaders"))]
        together = any(data.given_together(project, value) for value in given)
        train = data.given_loader(project, "train_loader", together)
    if evaluations and own and not own.fits and train is None:
        train = data.given_loader(project, "train_loader")  # of which nothing is asked
    for hook in ("train_dataloader", *STAGE_OF_LOADER):
        problems += data.check_loaders(project, hook, model, source, train)
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
        loggers,
        settings.shows_summary(loaded, own.trainers if own else entry_trainer),
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
