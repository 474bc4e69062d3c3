"""All facts, found out one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import Class, Project
from ..ir.served import Served
from ..lightning import api
from ..spec.load import LoadedSpec, Strategy, check_combinations
from ..spec.precision import FULL
from ..spec.trainer_settings import TrainerSettings
from ..values import values_of
from .callbacks import default_checkpoint
from .callbacks.callbacks import CallbackFacts, with_made
from .callbacks.given_lists import GivenLists
from .callbacks.given_saving import NAME, GivenSaving
from .callbacks.read_lists import ReadLists
from .callbacks.shared_states import may_share_states
from .callbacks.slimming import slim_callbacks
from .callbacks.thawing import check_thawing
from .callbacks.usage import check_by_hand, check_callback_logs, usage_with_callbacks
from .checkpoint_io import check_checkpoint_io, check_saved_code, check_unread, given_io
from .code.instances import Instances
from .code.member_access import usage_of
from .code.parts import parts_ask
from .code.stages import STAGE_OF_LOADER
from .code.usage import Asking, Usage, shown_of
from .data import loaders as data
from .data.loader_collections import are_read_together
from .data.made_early import check_counted_early, check_made_early
from .facts import Facts
from .hyperparameters.save_hyperparameters import check_read, check_saved
from .lightning import unsupported
from .lightning.checkpoint_parts import check_counts_set, check_loops_asked
from .lightning.idle import check_set_in_vain
from .lightning.trainer_objects import check_objects_asked, objects_got
from .logging import logging
from .logging.trainer_loggers import SetLoggers
from .logging.watching_libraries import check_watched
from .logging.writers import GivenLoggers, given_loggers, names_folder
from .main import evaluations as evaluated
from .main import given_loaders, init_module, own_main
from .main.max_epochs import check_epochs_set, check_going_on
from .main.own_main import OwnMain
from .model import hyperparameters, steps
from .model.assigned import assigned_hooks
from .optimizers import form as optimizer_form
from .optimizers import manual, renewed, swapped
from .optimizers.counted_apart import check_counted_steps
from .optimizers.microbatch import check_microbatch
from .optimizers.on_nan import check_on_nan
from .optimizers.scaled import check_scaled
from .remote import check_remote
from .strategy.comm_hook import check_comm_hook
from .strategy.join import check_join
from .strategy.launchers import asks_group_of_one, leaves_group
from .strategy.local_sgd import check_local_sgd
from .strategy.replicas import check_groups
from .strategy.sharded_model import check_sharded_model
from .strategy.static_graph import ACCUMULATING, check_static_graph, is_of_code
from .strategy.wrapper import check_apart, check_unsynced, check_wrapper
from .strategy.zero import check_sharded
from .trainer import settings
from .trainer.arguments import may_lack
from .trainer.main_settings import SettingsReader
from .trainer.plugins import plugins_in
from .trainer.precision import SCALED, PrecisionFacts, open_precision
from .trainer.profilers import check_profiled
from .trainer.replacing import TRIAL, with_overfitting, with_trial
from .trainer.set_settings import check_settings_set
from .trainer.shares import shares_of_streams
from .trainer.spec_trainer import trainer_call, trainers_of
from .validation.counted import check_counted
from .validation.limit_set import check_limit_set, limits_set
from .validation.replaced import ReplacedCheck
from .within_epochs import check_saved_by_validations, check_within_epochs

CHECKS: tuple[Callable[[Facts], Iterable[Diagnostic]], ...] = (
    check_going_on,
    check_sharded,
    check_sharded_model,
    check_groups,
    check_join,
    check_local_sgd,
    check_wrapper,
    check_unsynced,
    check_apart,
    check_thawing,
    check_microbatch,
    check_within_epochs,
    check_saved_by_validations,
    check_on_nan,
    renewed.check_renewed,
    check_remote,
    check_checkpoint_io,
    check_counted_early,
    check_counted,
    check_counted_steps,
    check_limit_set,
)
"""What may be wrong with all that is known."""

LISTED = "lr_scheduler_configs"
"""The Trainer's list of schedulers, which code may change."""


@dataclass
class Gatherer:
    """Finds out one thing after the other, and adds to `problems` and `notes` what is wrong with it."""

    project: Project
    loaded: LoadedSpec
    model: Class
    source: Class | None
    own: OwnMain | None
    callbacks: CallbackFacts
    served: Served
    problems: list[Diagnostic]
    notes: list[Diagnostic]
    uncertain: Mapping[str, tuple[str, ...]]
    company: tuple[Facts, ...] = ()
    checks: tuple[ReplacedCheck, ...] = ()

    def __post_init__(self) -> None:
        project, own, model, source = self.project, self.own, self.model, self.source
        self.usage, supers = usage_with_callbacks(project, self.callbacks, model)
        for node in own.asked_of_models if own else ():
            self.usage.reads[node.attr.value].append(node)
        for name in sorted(own.named_of_models) if own else ():
            self.usage.reads.setdefault(name, [])
        for node in own.asked_of_parts if own else ():
            self.usage.parts[node.attr.value].append(node)
            if node.attr.value in api.OF_TRAINER:
                self.usage.reads[node.attr.value].append(node)
        if parts_ask(Instances(project), model, api.TRAINER_OR_NONE):
            self.usage.parts.setdefault(api.TRAINER_OR_NONE, [])
            self.usage.reads.setdefault(api.TRAINER_OR_NONE, [])
        self.data_usage = usage_of(project, source) if source else Usage()
        assigned = {(each.name, each.is_monitors) for each in assigned_hooks(project) if each.is_callbacks}
        self.callbacks = replace(self.callbacks, supers=supers, assigned=frozenset(assigned))
        reader = evaluated.EvaluationReader(project, own, model, source, self.problems) if own else None
        self.evaluations = tuple(reader.read()) if reader else ()
        self.stopping = {**(reader.stopping if reader else {}), **(own.stopping if own else {})}
        self.trainers = trainers_of(project, own)
        made = own.trainers if own else self.trainers
        self.checkpoint_io = given_io(project, self.loaded, made)
        self.problems += check_unread(project, self.loaded, made)
        self.swapped = swapped.swapped(project, self.usage, (model, *self._others, *self.callbacks.own))
        self.limits_set = limits_set((self.usage, self.data_usage))

    def facts(self) -> Facts | None:
        """All of them; None where what is wrong leaves nothing to go on with."""
        arguments = self._check_hyperparameters()
        loggers = self._loggers()
        self._check_members()
        chosen, expressions = self._settings()
        checkpoint = self._default_checkpoint(chosen)
        self._complete_callbacks(chosen)
        precision = self._precision(chosen, expressions)
        if self.own:
            is_sharded = self.loaded.spec.strategy.is_sharded
            self.problems += init_module.check_contexts(self.project, self.own, precision, is_sharded)
        seed, workers = settings.seed_of(self.project, self.loaded)
        logged = self._logging()
        values = values_of(self.project) if self.own else None
        decided = manual.decision(
            self.project, self.model, self.usage, arguments, values, self.loaded, self.problems
        )
        by_hand, form = self._optimizers(decided, chosen, expressions)
        if by_hand and self._wraps_optimizers(precision):
            by_hand = replace(by_hand, wraps=True)
        if precision.only == SCALED:
            self.problems += check_scaled(self.project, self.model, bool(chosen.gradient_clip_val))
        train = self._train_loader()
        if train is None or (self._trains and "training_step" not in self.model.methods):
            return None
        val = self._validation_loader(chosen, expressions, train, logged)
        facts = Facts(
            project=self.project,
            loaded=self.loaded,
            settings=chosen,
            seed=seed,
            seeds_workers=workers | (self.own.seeds_workers if self.own else frozenset()),
            model=self.model,
            data=self.source,
            served=self.served,
            usage=self.usage,
            data_usage=self.data_usage,
            logging=logged,
            form=form,
            train=train,
            val=val,
            output=steps.common_output(
                steps.training_output(self.project, cls) for cls in self.served.models
            ),
            manual=by_hand,
            own_main=self.own,
            callbacks=self.callbacks,
            given_loggers=loggers,
            precision=precision,
            leaves_group=leaves_group(self.project),
            asks_group=asks_group_of_one(self.project, self.own.trainers if self.own else self.trainers),
            summarizes=settings.shows_summary(self.loaded, self.trainers),
            expressions=expressions,
            evaluations=tuple(evaluated.with_parameters(self.evaluations, val)),
            stopping=self.stopping,
            optimizes_by_value=decided.by_value,
            uncertain=self.uncertain,
            default_checkpoint=checkpoint,
            checkpoint_io=self.checkpoint_io,
            company=self.company,
            replaced_checks=self.checks,
            limits_set=self.limits_set,
        )
        self._check(facts)
        return replace(facts, callbacks=slim_callbacks(facts))

    def _complete_callbacks(self, chosen: TrainerSettings) -> None:
        """Whether Trainers may share them, and the one that a setting makes."""
        made = self.own.trainers if self.own else self.trainers
        shares = may_share_states(self.project, made, self.callbacks.runtime)
        self.callbacks = replace(self.callbacks, may_share_states=shares)
        if chosen.max_time is not None:
            self.callbacks = with_made(self.callbacks, "Timer", "config.max_time")

    def _wraps_optimizers(self, precision: PrecisionFacts) -> bool:
        """Whether a model that steps its optimizers itself is given the script's own kind, for what others ask."""
        is_hooked = precision.scales or "on_before_optimizer_step" in self.callbacks.hooks
        return is_hooked or any(each.manual and each.manual.wraps for each in self.company)

    def _check(self, facts: Facts) -> None:
        """What does not go together."""
        if facts.train.dataset == "unsized" and facts.may_cut_stream:
            self.problems += self._last_of_stream()
        self.problems += (said for check in CHECKS for said in check(facts))
        self.notes += self._profiled(facts) if facts.settings.profiler else ()
        self.notes += check_set_in_vain(self.project, facts.idle)
        self.notes += check_watched(facts)
        self.notes += check_epochs_set(facts)
        self.notes += check_saved_code(facts)
        if facts.manual:
            self.problems += manual.check_settings(self.loaded)

    def _profiled(self, facts: Facts) -> Iterator[Diagnostic]:
        """The parts of the code that are measured under Lightning."""
        asked = [node for of in self._asked for node in of.get("profiler", ())]
        return check_profiled(self.project, facts.idle, asked)

    def _last_of_stream(self) -> list[Diagnostic]:
        """Where it is asked, of a stream that may end before the batch up to which it is read."""
        asked = [of.get("is_last_batch", ()) for of in self._asked]
        return [
            messages.last_of_stream((self.project.source, shown_of(node))) for each in asked for node in each
        ]

    @property
    def _names_asked(self) -> set[str]:
        """Under which names they do, by `getattr` too."""
        usages = (self.usage, self.data_usage)
        found = {name for usage in usages for name in (*usage.trainer, *usage.trainer_got)}
        return found | {*(self.own.attributes if self.own else ())}

    @property
    def _asked(self) -> list[dict[str, list[Asking]]]:
        """What the classes and the main ask trainers for."""
        in_main = [self.own.asked_of_trainers] if self.own else []
        return [self.usage.asked_of_trainer, self.data_usage.asked_of_trainer, *in_main]

    def _check_hyperparameters(self) -> dict[str, str]:
        """Also the arguments of the model's constructor that are known, as code."""
        arguments = dict[str, str]()
        project, entry = self.project, self.project.entry
        wanted = [("model", self.model, entry.model), ("data", self.source, entry.data)]
        for (_, cls, _), usage in zip(wanted, (self.usage, self.data_usage), strict=True):
            self.problems += check_saved(project, cls, usage) if cls else ()
        if self.own is None:
            read = hyperparameters.constructions(project, self.loaded, wanted, set(), self.problems, {})
            arguments |= read[0][0].codes
        self.problems += check_read(project, self.model, self.usage)
        return arguments

    def _loggers(self) -> GivenLoggers:
        asked = unsupported.loggers_asked(self.project, self.model, (self.usage, self.data_usage), self.own)
        later = self.own.set_loggers if self.own else SetLoggers()
        made, expected = self.own.trainers if self.own else (), self.loaded.spec.trainer_keys
        lacks = may_lack(self.project, made, expected, "logger")
        is_asked = bool(asked) or names_folder(self.project)
        loggers = given_loggers(self.project, self.trainers, self.loaded, is_asked, lacks, later)
        self.problems += unsupported.check_loggers(self.project, asked, loggers)
        return loggers

    @property
    def _hooks_of_evaluations(self) -> frozenset[str]:
        """What the script calls beside training, of any model."""
        evaluations = (*self.evaluations, *(each for facts in self.company for each in facts.evaluations))
        return frozenset(hook for each in evaluations for hook in each.stage.called)

    def _check_members(self) -> None:
        """What the classes and the main do with Lightning's members."""
        project, both = self.project, (self.usage, self.data_usage)
        called = self._hooks_of_evaluations
        self.problems += unsupported.check_module(
            project, self.model, self.usage, called, self.loaded.spec.strategy is Strategy.MODEL_PARALLEL
        )
        followed = (*self.swapped, *self.limits_set, *(self.own.settings_set if self.own else ()))
        self.problems += unsupported.check_set(project, both, self.own, followed)
        self.problems += unsupported.check_graphs(project, self.callbacks, self.usage.own_names(self.model))
        if self.source:
            self.problems += unsupported.check_data_module(project, self.source, self.data_usage, called)
        self.problems += check_made_early(project, both)
        hooked = self.model, *self._others, *filter(None, [self.source]), *self.callbacks.own
        self.problems += check_loops_asked(project, hooked)
        self.problems += check_counts_set(project, hooked)
        asked = self.usage.trainer, self.data_usage.trainer, self.own.attributes if self.own else {}
        got = self.usage.objects_got, self.data_usage.objects_got, objects_got(project)
        self.problems += check_objects_asked(project, asked, got, self.loaded.spec.strategy is Strategy.FSDP)
        if self.own:
            self.problems += own_main.check_own_main(project, self.own, self.usage)
            self.notes += evaluated.check_one_device(project, self.own)

    def _settings(self) -> tuple[TrainerSettings, frozenset[str]]:
        """The Trainer's, and which of them are known only when the script runs."""
        rest = self.project, self.loaded, self.problems, self.notes
        chosen, expressions = settings.trainer_settings(*rest), frozenset[str]()
        if self.own:
            set_later = {each.attr.value for each in self.own.settings_set}
            read = SettingsReader(*rest).read(self.own.trainers, self.own.every_fit, set_later)
            chosen, expressions = read.settings, read.expressions
        as_told, _ = with_overfitting(chosen, expressions)
        chosen, expressions = with_overfitting(*with_trial(chosen, expressions))
        if self.own:
            is_set = self.own.settings_set
            asked = self._names_asked
            self.problems += check_settings_set(self.project, self.loaded, is_set, expressions, asked)
        # a trial has no shares, and which it would replace is known only when the script runs
        self.sharing = as_told if TRIAL in expressions else chosen
        accumulates = chosen.accumulates or self.callbacks.changes_accumulation
        told = self.own if is_of_code(self.loaded) else None
        self.problems += check_combinations(self.loaded, accumulates and told is None)
        if told and accumulates:
            self._check_static_graph(told, ACCUMULATING not in expressions)
        self.problems += check_comm_hook(self.project, self.loaded)
        return chosen, expressions

    def _check_static_graph(self, own: OwnMain, is_sure: bool) -> None:
        found = check_static_graph(self.project, self.loaded, own.trainers, is_sure)
        (self.problems if is_sure else self.notes).extend(found)

    def _default_checkpoint(self, chosen: TrainerSettings) -> default_checkpoint.DefaultCheckpoint:
        """Who gets a ModelCheckpoint that is not given one: the callbacks have it from now on."""
        made = self.own.trainers if self.own else self.trainers
        lists = GivenLists(self.project, dict(zip(made, self.trainers, strict=True)))
        read = ReadLists(self.project, lists)
        self.problems += read.check()
        self.notes += read.told()
        found = self._made_by_default(lists, self._asks_for_checkpoint(chosen, lists, read))
        if found:
            self.callbacks = with_made(self.callbacks, NAME)
        said = [*default_checkpoint.said_in_vain(self.project, found)]
        self.notes[:] = [each for each in self.notes if each not in said]
        return found

    def _asks_for_checkpoint(self, chosen: TrainerSettings, lists: GivenLists, read: ReadLists) -> bool:
        """Whether it would be missed, where no Trainer is given another."""
        own, asked = self.own, self._names_asked
        is_asked = bool(asked & default_checkpoint.ASKING or self.callbacks.uploads or self.checkpoint_io)
        is_asked = is_asked or ("callbacks" in asked and default_checkpoint.asks_for_kind(self.project))
        is_asked = is_asked or read.asks_for_checkpoint() or default_checkpoint.looks_for_files(self.project)
        if any(lists.shared()) or not (chosen.validates_by_epoch and chosen.validates_each_epoch):
            calls = own.evaluations if own else ()
            is_asked = is_asked or default_checkpoint.asks_for_best(self.project, calls)
        return is_asked

    def _made_by_default(self, lists: GivenLists, is_asked: bool) -> default_checkpoint.DefaultCheckpoint:
        """Where it is not asked for, by Trainers that fit where one may be given another."""
        project, own, expected = self.project, self.own, self.loaded.spec.trainer_keys
        described = [call for call in [trainer_call(project)] if call and own is None]
        made, saving = own.trainers if own else described, GivenSaving(project, expected)
        if not is_asked and (own is None or not self.callbacks.saves):
            return default_checkpoint.NO_DEFAULT
        if not made:
            return default_checkpoint.of_script(self.loaded)
        if not is_asked:
            assert own is not None
            brings = [cls.methods.get("configure_callbacks") for cls in (self.model, *self.served.models)]
            is_kept = not any(brings) and default_checkpoint.is_kept_from(made, saving)
            self.callbacks = replace(self.callbacks, keeps_saving=is_kept)
            are_brought = all(method and saving.is_brought(method) for method in brings)
            made = default_checkpoint.fitting(project, made, () if is_kept or are_brought else own.every_fit)
        return default_checkpoint.default_checkpoint(project, self.loaded, made, saving)

    def _precision(self, chosen: TrainerSettings, expressions: frozenset[str]) -> PrecisionFacts:
        if chosen.plugins:
            (plugin,) = chosen.plugins
            if chosen.precision != FULL or "precision" in expressions:
                at = (self.project.source, plugins_in(self.trainers))
                self.problems.append(messages.two_precisions(at))
            return PrecisionFacts(frozenset({plugin.precision}), plugin.device)
        if self.own and "precision" in expressions:
            return open_precision(self.project, self.own.trainers, self.loaded.spec.trainer_keys)
        return PrecisionFacts(frozenset({chosen.precision}))

    def _logging(self) -> logging.LoggingFacts:
        stages = [each.stage for each in self.evaluations]
        facts = logging.logging_facts(self.project, self.model, self.usage, stages)
        self.problems += logging.check_logging(
            self.project, self.model, self.usage, facts, self._hooks_of_evaluations
        )
        self.problems += check_callback_logs(self.project, self.callbacks, self.usage)
        others = [
            logging.logging_facts(self.project, cls, self._usage_of(cls), stages) for cls in self._others
        ]
        return facts.with_others([*others, *(each.logging for each in self.company)])

    @property
    def _others(self) -> list[Class]:
        """The models that may stand in this one's place."""
        return [cls for cls in self.served.models if cls is not self.model]

    def _usage_of(self, model: Class) -> Usage:
        """What another model does, and callbacks with it."""
        return usage_with_callbacks(self.project, self.callbacks, model)[0]

    def _optimizers(
        self, decided: manual.Decision, chosen: TrainerSettings, expressions: frozenset[str]
    ) -> tuple[manual.ManualForm | None, optimizer_form.OptimizerForm]:
        """How the model steps its optimizers itself, or how the script steps the one that the model returns."""
        project, model, usage = self.project, self.model, self.usage
        in_main = self.own.asked_of_trainers if self.own else {}
        self.problems += swapped.check_swapped(project, self.loaded, self.swapped)
        if off := decided.off:
            listed = [*usage.asked_of_trainer.get(LISTED, ()), *in_main.get(LISTED, ())]
            self.problems += manual.check_manual(project, self.loaded, off, chosen, expressions)
            self.problems += check_by_hand(project, self.callbacks)
            self.problems += manual.check_assigned(project)
            self.problems += manual.check_schedules(project, listed)
            by_hand = manual.manual_form(project, model, usage)
            return manual.swapped_manual(by_hand) if self.swapped else by_hand, optimizer_form.NONE
        is_listed = LISTED in {*usage.asked_of_trainer, *in_main}
        swaps = self.callbacks.averages_late
        form = optimizer_form.optimizer_form(project, model, self.problems, is_listed, swaps)
        others = (optimizer_form.optimizer_form(project, cls, [], is_listed, swaps) for cls in self._others)
        form = optimizer_form.common_form([form, *others])
        if not decided.by_value:
            self.problems += manual.check_automatic(project, model, usage, form.may_hold_another)
        usages = (usage, *map(self._usage_of, self._others))
        form = replace(form, is_renewed=form.exists and bool(renewed.renewals(usages)))
        return None, optimizer_form.swapped_form(form) if self.swapped else form

    def _train_loader(self) -> data.LoaderFacts | None:
        project, own = self.project, self.own
        train = data.loader_facts(project, "train_dataloader", self.model, self.source)
        if own and own.gives_train:
            given = [value for fit in own.fits if (value := fit.expression("train_dataloaders"))]
            together = any(are_read_together(project, value) for value in given)
            train = data.given_loader(project, "train_loader", given, together)
        train = self._with_given(train, "train_dataloaders")
        if train is None and not self._trains:
            train = data.given_loader(project, "train_loader")  # of which nothing is asked
        for hook in STAGE_OF_LOADER:
            self.problems += data.check_loaders(project, hook, self.model, self.source)
        has_data = train is not None or bool(own and not own.reads_all_fits)
        if self._trains:
            self.problems += _missing(project, self.model, self.source, has_data)
        if self._trains and "configure_optimizers" not in self.model.methods:
            at = (project.source, self.model.node.name)
            of_cli = project.source.path if project.told_by_cli else ""
            self.problems.append(messages.no_configure_optimizers(at, self.model.name, of_cli))
        return train

    @property
    def _trains(self) -> bool:
        """Whether the model is trained: a main of the user's own may but evaluate it."""
        return self.own is None or not self.own.only_evaluates

    def _with_given(self, loader: data.LoaderFacts | None, argument: str) -> data.LoaderFacts | None:
        """A data module's loader, or those that stand in its place where some calls of `fit` are given them."""
        own = self.own
        if loader is None or own is None or not own.has_both:
            return loader
        found = given_loaders.with_given(self.project, loader, own, argument, self.model, self.problems)
        if found is None or not given_loaders.may_stand_for_data(own, self.model, self.source):
            at = [(self.project.source, each.node) for each in own.fits]
            self.problems += map(messages.fit_shapes_differ, at)
        return found or loader

    def _validation_loader(
        self,
        chosen: TrainerSettings,
        expressions: frozenset[str],
        train: data.LoaderFacts,
        logged: logging.LoggingFacts,
    ) -> data.LoaderFacts | None:
        """The one of training, if there is any."""
        project, model, source = self.project, self.model, self.source
        val = None
        if self._trains:
            self.problems += _step_problems(project, model)
            val = evaluated.validation_loader(project, self.own, model, source, self.problems)
            val = self._with_given(val, "val_dataloaders")
        owners = model, source
        self.problems += shares_of_streams(project, self.sharing, expressions, self.own, owners, (train, val))
        rest = self.evaluations, logged, self.callbacks.own
        self.problems += evaluated.check_several(project, model, source, val, *rest)
        return val


def _missing(project: Project, model: Class, source: Class | None, has_data: bool) -> list[Diagnostic]:
    at = (project.source, model.node.name)
    missing = [] if "training_step" in model.methods else [messages.no_training_step(at, model.name)]
    if not has_data:
        of_data = (project.source, source.node.name) if source else at
        missing.append(messages.no_data(of_data, model.name, source.name if source else ""))
    return missing


def _step_problems(project: Project, model: Class) -> list[Diagnostic]:
    found = []
    step = model.methods["training_step"]
    if "dataloader_iter" in steps.positional_names(step):
        found.append(messages.dataloader_iter((project.source, step.name)))
    return found
