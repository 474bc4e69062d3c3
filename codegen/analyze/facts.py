"""Everything found out about the code and the spec, from which the script's plans are decided."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from .. import lightning_api as api
from ..project import Class, Project
from ..spec import LoadedSpec
from ..spec_sections import Logger, Resume, Strategy, SyncMode
from ..trainer_settings import TrainerSettings
from .callbacks import NO_CALLBACKS, CallbackFacts
from .data import LoaderFacts
from .evaluated import Evaluation
from .kinds import returned_values
from .logging import LoggingFacts
from .manual import ManualForm
from .optimizers import OptimizerForm
from .own_main import OF_RANKS, OwnMain
from .stages import VALIDATE, Stage
from .steps import Output, hands_over_closure, takes_batch_idx
from .usage import Usage
from .writers import NOT_GIVEN, GivenLoggers, writers

TRANSFER_HOOKS = ("on_before_batch_transfer", "transfer_batch_to_device", "on_after_batch_transfer")


@dataclass(frozen=True)
class Facts:
    """What is known before anything is decided."""

    project: Project
    loaded: LoadedSpec
    settings: TrainerSettings
    seed: int | None
    seeds_workers: bool
    model: Class
    data: Class | None
    usage: Usage
    data_usage: Usage
    logging: LoggingFacts
    form: OptimizerForm
    train: LoaderFacts
    val: LoaderFacts | None
    output: Output
    manual: ManualForm | None = None  # None: the optimizer is stepped by the script
    own_main: OwnMain | None = None  # the user's, kept word for word
    callbacks: CallbackFacts = NO_CALLBACKS
    given_loggers: GivenLoggers = NOT_GIVEN
    summarizes: bool = True  # the model, before training
    expressions: frozenset[str] = frozenset()  # settings that are known only when the script runs
    evaluations: tuple[Evaluation, ...] = ()  # what the user's own main runs beside training
    optimizes_by_value: bool = False  # whether the model steps its optimizers depends on an argument

    def is_expression(self, setting: str) -> bool:
        """Whether a setting is known only when the script runs."""
        return setting in self.expressions

    def setting_code(self, setting: str) -> str:
        """A setting's value, or where it is found when the script runs."""
        return f"config.{setting}" if self.is_expression(setting) else repr(getattr(self.settings, setting))

    # ---- the strategy ------------------------------------------------------------------------------------

    @property
    def is_ddp(self) -> bool:
        return self.loaded.spec.strategy is Strategy.DDP

    @property
    def sync(self) -> SyncMode:
        return self.loaded.spec.sync

    @property
    def accumulates(self) -> bool:
        return self.sets_accumulation or self.schedules_accumulation

    @property
    def sets_accumulation(self) -> bool:
        """Whether a setting says how many batches make an optimizer step."""
        return self.settings.accumulate_grad_batches > 1

    @property
    def schedules_accumulation(self) -> bool:
        """Whether that changes from epoch to epoch."""
        return self.callbacks.given("GradientAccumulationScheduler")

    @property
    def wraps_steps(self) -> bool:
        """Whether steps of the model's are called through DistributedDataParallel."""
        return self.is_ddp and self.manual is None

    @property
    def syncs_by_hand(self) -> bool:
        return self.is_ddp and self.sync is SyncMode.FORCED_SYNC

    @property
    def may_resume(self) -> bool:
        """Whether a run goes on from its last checkpoint."""
        options = self.loaded.spec.checkpoint
        return options is not None and options.resume is Resume.AUTO and self.writes_last

    @property
    def resumes_when_told(self) -> bool:
        """Whether the script has an option for that."""
        return self.may_resume and self.own_main is None

    # ---- the model ---------------------------------------------------------------------------------------

    def has_hook(self, name: str) -> bool:
        return name in self.model.methods

    def calls(self, name: str) -> bool:
        """Whether the model or a callback has the hook."""
        return self.has_hook(name) or name in self.callbacks.hooks

    @property
    def tries_example(self) -> bool:
        """Whether Lightning runs the model's example before training, for its summary of the model."""
        has_one = "example_input_array" in self.usage.own_names(self.model)
        return has_one and self.summarizes

    def owner_of(self, hook: str) -> str | None:
        """The variable that has a hook which the data module may override."""
        if self.data is not None and hook in self.data.methods:
            return "data"
        return "model" if hook in self.model.methods else None

    @property
    def uses_closure(self) -> bool:
        return self.form.exists and (self.has_hook("optimizer_step") or self.form.needs_closure)

    @property
    def prepares_gradients(self) -> bool:
        """Whether something comes between the last backward and the update."""
        clips = bool(self.settings.gradient_clip_val) or self.has_hook("configure_gradient_clipping")
        return self.form.exists and (clips or self.calls("on_before_optimizer_step"))

    @property
    def prepares_in_step(self) -> bool:
        """Whether that must happen in the optimizer's step, as `optimizer_step` may call its closure itself."""
        parts = [part.own_methods for part in self.model.lineage]
        methods = [methods["optimizer_step"] for methods in parts if "optimizer_step" in methods]
        return self.prepares_gradients and not all(map(hands_over_closure, methods))

    @property
    def transfers_by_data(self) -> bool:
        return any(self.owner_of(hook) == "data" for hook in TRANSFER_HOOKS)

    @property
    def has_tensor_batches(self) -> bool:
        """Whether each batch surely is a list of tensors."""
        loaders = [self.train, *([self.val] if self.val else []), *(each.loader for each in self.evaluations)]
        hooked = any(self.owner_of(hook) for hook in TRANSFER_HOOKS)
        return not hooked and all(loader.has_tensor_batches for loader in loaders)

    @property
    def steps_take_index(self) -> bool:
        return takes_batch_idx(self.model.methods["training_step"])

    # ---- validation, test, prediction ----------------------------------------------------------------------

    def has_several(self, stage: Stage) -> bool:
        """Whether a stage may have several loaders, wherever it is run."""
        loaders = [each.loader for each in self.evaluations if each.stage is stage]
        loaders += [self.val] if stage is VALIDATE and self.val else []
        return any(loader.several for loader in loaders)

    @property
    def logs_of_several(self) -> bool:
        """Whether values of several loaders are told apart."""
        return self.has_several(VALIDATE) or any(each.loader.several for each in self.evaluations)

    @property
    def trains(self) -> bool:
        """Whether `fit` is called: a main of the user's own may but evaluate."""
        return not self.evaluations or (self.own_main is not None and bool(self.own_main.fits))

    @property
    def tells_loaders(self) -> bool:
        """Whether results are told loader by loader."""
        return any(
            self.has_several(each.stage) and self.logging.during(each.stage) for each in self.evaluations
        )

    @property
    def writes_evaluations(self) -> bool:
        """Whether loggers are told what evaluations log."""
        logged = any(self.logging.during(each.stage) for each in self.evaluations)
        return bool(logged and writers(self.evaluation_writes, self.given_loggers))

    @property
    def evaluation_writes(self) -> tuple[Logger, ...]:
        """The spec's loggers, where they are told what evaluations log."""
        spec = self.loaded.spec
        return () if self.given_loggers.are_known and "logger" not in spec.model_fields_set else spec.logger

    @property
    def logged_batch(self) -> tuple[str, str] | None:
        """The attribute of Logs that tells a batch, and its value; None: nothing depends on it."""
        if not self.tells_batches:
            return None
        return ("batch_size", "len(batch[0])") if self.has_tensor_batches else ("batch", "batch")

    @property
    def _fields_of_evaluations(self) -> set[str]:
        """What evaluations ask of the trainer."""
        fields = {"model"} if any(each.lacks_model for each in self.evaluations) else set()
        if self.writes_evaluations:
            fields |= {"current_epoch", "batches_done" if self.manual else "global_step"}
        orders = any(self.may_order_by_epoch(each.loader) for each in self.evaluations)
        return fields | ({"current_epoch"} if orders else set())

    def may_order_by_epoch(self, loader: LoaderFacts) -> bool:
        """Whether a loader may have another order in every epoch that its sampler is told."""
        shuffles = self.is_ddp and loader.shuffle is not False
        return loader.dataset == "map" and (shuffles or not loader.is_plain)

    # ---- logging and the trainer ---------------------------------------------------------------------------

    @property
    def has_validation(self) -> bool:
        return (
            self.val is not None and self.has_hook("validation_step") and self.settings.limit_val_batches != 0
        )

    @property
    def own_code_ends_validation(self) -> bool:
        """Whether code of the user's is called when validation is over."""
        name = "on_validation_end"
        return self.has_hook(name) or any(name in cls.methods for cls in self.callbacks.own)

    @property
    def watches_metric(self) -> bool:
        schedule = self.form.schedule
        return self.form.may_be_plateau or (schedule is not None and schedule.on_plateau)

    @property
    def keeps_latest(self) -> bool:
        return self.watches_metric or self.reads_callback_metrics

    @property
    def reads_callback_metrics(self) -> bool:
        return "callback_metrics" in self.trainer_fields

    @property
    def tells_batches(self) -> bool:
        """Whether what is logged depends on the batch, or on whether there is one at the time."""
        return self.logging.weighs or self.logging.between_batches or self.reads_callback_metrics

    @property
    def is_written(self) -> bool:
        """Whether there is something to write."""
        logged = self.logging
        in_steps = logged.by_step and self.settings.log_every_n_steps > 0
        in_validation = logged.in_validation and self.has_validation
        return in_steps or logged.by_epoch or in_validation or self.callbacks.given("LearningRateMonitor")

    @property
    def lends_writers(self) -> bool:
        """Whether callbacks write to the script's own files."""
        return (
            self.callbacks.given("LearningRateMonitor")
            and not self.given_loggers.are_known
            and bool(self.writes)
        )

    @property
    def writes(self) -> tuple[Logger, ...]:
        """The spec's loggers, where there is something to write."""
        spec = self.loaded.spec
        given = self.given_loggers
        silent = given.are_known and "logger" not in spec.model_fields_set
        return spec.logger if self.is_written and not silent else ()

    @property
    def writers(self) -> tuple[tuple[str, str], ...]:
        """The variables that hold what writes metrics, and how they are made."""
        return writers(self.writes, self.given_loggers) if self.is_written else ()

    @property
    def shows_bar(self) -> bool:
        return self.settings.enable_progress_bar

    @cached_property
    def trainer_fields(self) -> frozenset[str]:
        """What the user's code reads of the trainer, directly or through properties of the module."""
        fields = {*self.usage.trainer, *self.data_usage.trainer} & api.TRAINER_MEMBERS
        own = self.usage.own_names(self.model)
        fields |= {
            name for name in ("current_epoch", "global_step") if name in self.reads and name not in own
        }
        inherited = {*self.usage.reads} - own | {*self.usage.supers}
        if inherited & {"clip_gradients", "configure_gradient_clipping"}:
            fields |= {"gradient_clip_val", "gradient_clip_algorithm"}
        if self.own_main:
            fields |= self.own_main.attributes.keys() & api.TRAINER_MEMBERS - set(OF_RANKS)
        fields |= self._optimizer_fields(frozenset(inherited))
        fields |= self._fields_of_evaluations
        fields |= self.callbacks.trainer_fields
        fields |= {"checkpoint_callback", "checkpoint_callbacks"} if self.asks_callbacks else set()
        fields |= {"note"} if self.notes_newest else set()
        if self._reports_to_code:
            fields |= {"failed"} if "save_checkpoint" in fields and self._may_save_inside else set()
            fields |= {"datamodule"} if self.data and "on_exception" in self.data.methods else set()
        fields |= {each for name in fields for each in api.TRAINER_NEEDS.get(name, ())}
        fields |= {"loggers"} if self.given_loggers.are_objects else set()
        fields |= {"logger", "loggers"} & self.reads - own
        if "is_global_zero" in fields:
            fields = fields - {"is_global_zero"} | {"global_rank"}
        return frozenset(fields)

    def _optimizer_fields(self, inherited: frozenset[str]) -> set[str]:
        """What optimizers the code asks for, and what it does with them."""
        wraps, toggles_model = False, False
        if self.manual:
            wraps, toggles_model = self.manual.wraps, self.manual.toggles_model
        toggles = toggles_model or bool(inherited & api.TOGGLING)
        backward = toggles_model or "manual_backward" in inherited
        fields = {
            "optimizers": wraps or toggles or "optimizers" in inherited,
            "counted_optimizers": wraps,
            "schedulers": "lr_schedulers" in inherited,
            "toggled": toggles,
            "shared": backward and self.is_ddp,
        }
        return {name for name, is_asked in fields.items() if is_asked}

    @cached_property
    def reads(self) -> frozenset[str]:
        """Attributes that the model's code reads of itself or of its base."""
        return frozenset({*self.usage.reads, *self.usage.supers})

    @property
    def has_trainer(self) -> bool:
        return bool(self.trainer_fields)

    @property
    def loader_first(self) -> bool:
        """Whether the loader is made before the optimizer, which wants to know its length."""
        return "estimated_stepping_batches" in self.trainer_fields

    @property
    def may_skip(self) -> bool:
        """Whether `on_train_batch_start` may end the epoch, by returning -1."""
        method = self.model.methods.get("on_train_batch_start")
        values = returned_values(method) if method else []
        return any(
            value is not None and not (isinstance(value, cst.Name) and value.value == "None")
            for value in values
        )

    # ---- the loop ----------------------------------------------------------------------------------------

    @property
    def has_max_steps(self) -> bool:
        return self.settings.max_steps != -1

    @property
    def checks_of_settings(self) -> tuple[str, ...]:
        """What is done with some settings that are known only when the script runs."""
        functions = {"precision": "require_full_precision", "deterministic": "be_deterministic"}
        return tuple(f"{do}(config.{name})" for name, do in functions.items() if self.is_expression(name))

    @property
    def steps_reached(self) -> str:
        """Whether the number of steps is reached that training is limited to."""
        if self.is_expression("max_steps"):
            return "0 <= config.max_steps <= global_step"
        return "global_step >= config.max_steps"

    @property
    def starts_early(self) -> bool:
        """Whether something may come between the making of the first epoch's iterator and its first batch."""
        return self.loader_first or self.calls("on_train_start") or self.calls("on_train_epoch_start")

    @property
    def stops_in_batches(self) -> bool:
        """Whether something may end the training after any batch."""
        return self.callbacks.given("Timer") or "should_stop" in {
            *self.usage.trainer,
            *self.data_usage.trainer,
        }

    @property
    def may_stop(self) -> bool:
        """Whether something may end the training before its last epoch."""
        return self.stops_in_batches or self.callbacks.given("EarlyStopping")

    @property
    def stops_inside(self) -> bool:
        """Whether the batch loop may be left."""
        return self.may_stop and (self.stops_in_batches or self.validates_inside)

    def stop_condition(self, epochs: str) -> str:
        """Whether to stop after so many whole epochs."""
        if self.is_expression("min_epochs") or self.is_expression("min_steps"):
            minima = ", ".join(self.setting_code(name) for name in ("min_epochs", "min_steps"))
            return f"trainer.should_stop and minima_met({epochs}, global_step, {minima})"
        least, steps = self.settings.min_epochs, self.settings.min_steps
        least = 1 if least is None and steps is not None else least
        conditions = ["trainer.should_stop"]
        conditions += [f"{epochs} >= {least}"] if least else []
        conditions += [f"global_step >= {steps}"] if steps else []
        return " and ".join(conditions)

    @property
    def dumps(self) -> bool:
        """Whether checkpoints are written when callbacks or the user's code say so."""
        return "save_checkpoint" in self.trainer_fields

    @property
    def saves_inside(self) -> bool:
        """Whether they may be written before an epoch's last batch."""
        return self.dumps and self._may_save_inside

    @property
    def _may_save_inside(self) -> bool:
        callbacks = self.callbacks
        inside = callbacks.uses_steps or callbacks.saves_failures or self.validates_inside
        return (callbacks.saves and inside) or "save_checkpoint" in self.usage.trainer

    @property
    def _reports_to_code(self) -> bool:
        """Whether callbacks or the data are told when a run fails."""
        tells_data = self.data is not None and "on_exception" in self.data.methods
        return tells_data or "on_exception" in self.callbacks.hooks

    @property
    def reports(self) -> bool:
        """Whether something is told when a run fails."""
        return self._reports_to_code or self.callbacks.has_open_logs

    @property
    def writes_last(self) -> bool:
        """Whether the script keeps a checkpoint of its own: beside a main's ModelCheckpoint, if the spec says so."""
        spec = self.loaded.spec
        leaves_it = self.own_main is not None and self.callbacks.saves
        given = "checkpoint" in spec.model_fields_set
        asks = given and spec.checkpoint is not None and spec.checkpoint.model_fields_set != {"resume"}
        return spec.checkpoint is not None and (asks or not leaves_it)

    @property
    def notes_newest(self) -> bool:
        """Whether a run that torchrun restarts goes on from what a main's ModelCheckpoint has saved."""
        options = self.loaded.spec.checkpoint
        resumes = options is not None and options.resume is Resume.AUTO
        return self.own_main is not None and self.callbacks.saves and resumes and not self.writes_last

    @property
    def asks_callbacks(self) -> bool:
        """Whether checkpoints are asked for by name that callbacks keep."""
        given = self.own_main is not None and self.own_main.gives_checkpoint
        return self.callbacks.saves and (given or any(each.gives_checkpoint for each in self.evaluations))

    @property
    def limits_by_count(self) -> bool:
        return type(self.settings.limit_train_batches) is int

    @property
    def is_sized(self) -> bool:
        """Whether the number of batches is known before they are read."""
        return self.train.dataset != "unsized" or self.limits_by_count

    @property
    def validates_inside(self) -> bool:
        """Whether validation falls within the batch loop."""
        settings = self.settings
        interval = settings.val_check_interval
        whole = type(interval) is float and interval == 1.0
        cut = self.has_max_steps or self.may_skip or self.stops_in_batches
        return self.has_validation and (not whole or cut or settings.check_val_every_n_epoch is None)

    @property
    def counts_batches(self) -> bool:
        """Whether validation goes by batches over all epochs, whose number in each epoch is not known."""
        settings = self.settings
        by_count = settings.check_val_every_n_epoch is None and type(settings.val_check_interval) is int
        return self.has_validation and by_count and (self.train.dataset != "map" or self.may_skip)

    @property
    def ends_epoch_inside(self) -> bool:
        """Whether what belongs to an epoch's last batch must happen within the batch loop."""
        return (
            self.has_max_steps
            or self.may_skip
            or self.validates_inside
            or self.stops_in_batches
            or self.calls("on_train_batch_end")
        )

    @property
    def has_seed(self) -> bool:
        """Whether the run may have a seed."""
        return self.seed is not None or (self.own_main is not None and bool(self.own_main.seeds))

    @property
    def seed_code(self) -> str:
        if self.own_main:
            return "global_seed()" if self.has_seed else "0"
        return "config.seed" if self.seed is not None else "0"
