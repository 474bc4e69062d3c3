"""What was found out, before anything follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from ..ir.project import Class, Project
from ..ir.served import Served
from ..lightning.api import ALL_HOOKS, IDLE_HOOKS
from ..spec.load import LoadedSpec
from ..spec.sections.microbatch import MicrobatchSettings
from ..spec.sections.strategy_spec import LossKind, Strategy, SyncMode
from ..spec.trainer_settings import TrainerSettings
from ..values import values_of
from .callbacks.callbacks import NO_CALLBACKS, CallbackFacts
from .callbacks.default_checkpoint import NO_DEFAULT, DefaultCheckpoint
from .checkpoint_io import GivenIO
from .code.member_access import usage_of
from .code.stages import Stage
from .code.usage import Usage
from .data.loaders import LoaderFacts
from .logging.logging import LoggingFacts
from .logging.writers import NOT_GIVEN, GivenLoggers
from .main.evaluations import Evaluation
from .main.own_main import OwnMain
from .model.assigned import assigned_hooks
from .model.quiet_hooks import is_quiet
from .model.steps import Output
from .optimizers.form import OptimizerForm
from .optimizers.manual import ManualForm
from .trainer.precision import FULL_PRECISION, PrecisionFacts
from .trainer.replacing import replaced_settings
from .validation.replaced import ReplacedCheck


@dataclass(frozen=True)
class Gathered:
    """What is known of the code and the spec, by itself."""

    project: Project
    loaded: LoadedSpec
    settings: TrainerSettings
    seed: int | None
    seeds_workers: frozenset[bool | None]  # as those say that seed; None: as the run goes
    model: Class
    data: Class | None
    served: Served  # these two, and those in whose place they stand
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
    default_checkpoint: DefaultCheckpoint = NO_DEFAULT  # Lightning's, where it is asked for
    checkpoint_io: GivenIO | None = None  # what checkpoints go through
    given_loggers: GivenLoggers = NOT_GIVEN
    precision: PrecisionFacts = FULL_PRECISION
    summarizes: bool = True  # the model, before training
    asks_group: bool = False  # of one process, too
    leaves_group: bool = False  # by itself, before the script does
    expressions: frozenset[str] = frozenset()  # settings that are known only when the script runs
    evaluations: tuple[Evaluation, ...] = ()  # what the user's own main runs beside training
    stopping: Mapping[cst.Call, str] = field(default_factory=dict)  # calls that Lightning stops at, and why
    replaced_checks: tuple[
        ReplacedCheck, ...
    ] = ()  # of when validation is due, in whose place the script has its own
    limits_set: tuple[cst.Attribute, ...] = ()  # of validation, while the training goes on
    optimizes_by_value: bool = False  # whether the model steps its optimizers depends on an argument
    uncertain: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # of which classes a variable is to be, and may not be

    def is_expression(self, setting: str) -> bool:
        """Whether a setting is known only when the script runs."""
        return setting in self.expressions

    def setting_code(self, setting: str) -> str:
        """A setting's value, or where it is found when the script runs."""
        return f"config.{setting}" if self.is_expression(setting) else repr(getattr(self.settings, setting))

    @property
    def replaced_settings(self) -> frozenset[str]:
        """Settings in whose place others come, whatever the code says of them."""
        return replaced_settings(self.settings, self.expressions)

    @property
    def trains(self) -> bool:
        """Whether `fit` is called: a main of the user's own may but evaluate."""
        return self.own_main is None or not self.own_main.only_evaluates

    # ---- the strategy ------------------------------------------------------------------------------------

    @property
    def is_distributed(self) -> bool:
        """Whether several ranks may train together."""
        return self.loaded.spec.strategy is not Strategy.SINGLE

    @property
    def is_sharded(self) -> bool:
        """Whether each of them has its share of the model."""
        return self.loaded.spec.strategy.is_sharded

    @property
    def shares_itself(self) -> bool:
        """Whether that is what the model's `configure_model` says."""
        return self.loaded.spec.strategy is Strategy.MODEL_PARALLEL

    @property
    def is_planned(self) -> bool:
        """Whether it is the spec's plan in its place."""
        return self.shares_itself and bool(self.loaded.spec.model_parallel.plan)

    @property
    def begins_empty(self) -> bool:
        """Whether the model is made without memory, until it is shared out."""
        return self.loaded.spec.strategy is Strategy.FSDP and self.loaded.spec.fsdp.empty_init

    @property
    def is_ddp(self) -> bool:
        """Whether each of them has the whole model."""
        return self.loaded.spec.strategy is Strategy.DDP

    @property
    def sync(self) -> SyncMode:
        return self.loaded.spec.sync

    @property
    def adds_up(self) -> bool:
        """Whether an optimizer step's gradients are those of the sum over all its samples."""
        return self.loaded.spec.loss is LossKind.SUM

    @property
    def microbatch(self) -> MicrobatchSettings | None:
        """How batches go through the model in parts; None: they go whole."""
        return self.loaded.spec.microbatch

    @property
    def accumulates(self) -> bool:
        return self.sets_accumulation or self.schedules_accumulation

    @property
    def sets_accumulation(self) -> bool:
        """Whether a setting says how many batches make an optimizer step."""
        return self.settings.accumulates and self.manual is None

    @property
    def schedules_accumulation(self) -> bool:
        """Whether that changes from epoch to epoch."""
        return self.callbacks.changes_accumulation

    @property
    def wraps_steps(self) -> bool:
        """Whether steps of the model's are called through DistributedDataParallel."""
        return self.is_ddp and self.manual is None

    @property
    def joins(self) -> bool:
        """Whether ranks may have different numbers of batches in an epoch."""
        return self.is_ddp and self.loaded.spec.ddp.join is not None

    @property
    def wraps_validation(self) -> bool:
        """Whether validation goes that way too; ranks may have different numbers of its batches, where they join."""
        return self.wraps_steps and not self.joins

    @property
    def syncs_by_hand(self) -> bool:
        return self.is_ddp and self.sync is SyncMode.FORCED_SYNC

    @property
    def has_seed(self) -> bool:
        """Whether the run may have a seed."""
        return self.seed is not None or (self.own_main is not None and bool(self.own_main.seeds))

    @property
    def may_seed_workers(self) -> bool:
        """Whether loaders' workers may get seeds of their own."""
        return bool(self.seeds_workers - {False})

    @property
    def asks_for_workers(self) -> bool:
        """Whether only the run says if they do."""
        loaders = (self.train, self.val, *(each.loader for each in self.evaluations))
        has_workers = any(loader is not None and loader.has_workers for loader in loaders)
        return has_workers and self.may_seed_workers and self.seeds_workers != {True}

    @property
    def seed_code(self) -> str:
        if self.own_main:
            return "global_seed()" if self.has_seed else "0"
        return "config.seed" if self.seed is not None else "0"

    # ---- hooks -------------------------------------------------------------------------------------------

    @cached_property
    def usages(self) -> Mapping[Class, Usage]:
        """What the model's code asks for, and that of others in its place."""
        others = {cls: usage_of(self.project, cls) for cls in self.served.models if cls is not self.model}
        return {self.model: self.usage, **others}

    @cached_property
    def hooks(self) -> frozenset[str]:
        """The model's; and those of others in its place which, where a class lacks them, do nothing."""
        others = {name for cls in self.served.models for name in cls.methods}
        assigned = {each.name for each in assigned_hooks(self.project) if each.is_models}
        return ALL_HOOKS & self.model.methods.keys() | IDLE_HOOKS & (others | assigned)

    def method(self, name: str) -> cst.FunctionDef | None:
        """The model's, or that of another in its place."""
        models = (self.model, *self.served.models)
        return next((cls.methods[name] for cls in models if name in cls.methods), None)

    def has_hook(self, name: str) -> bool:
        return name in self.model.methods or name in self.hooks

    def calls(self, name: str) -> bool:
        """Whether the model or a callback has the hook."""
        return self.has_hook(name) or name in self.callbacks.hooks

    def has_hooks_round(self, stage: Stage) -> bool:
        """Whether something is called before a stage's first batch, or after its last."""
        moments = (f"on_{stage.name}_{each}" for each in ("start", "epoch_start", "epoch_end", "end"))
        return any(map(self.calls, (*moments, *stage.mode_hooks)))

    def may_draw(self, hook: str) -> bool:
        """Whether what is called there may draw random numbers, or change what loaders read."""
        classes = (self.model, *self.served.models, *(self.callbacks.own if self.callbacks.is_given else ()))
        values = values_of(self.project)
        own = ((cls.methods[hook], frozenset(cls.methods)) for cls in classes if hook in cls.methods)
        is_assigned = any(each.name == hook for each in assigned_hooks(self.project))
        is_loud = is_assigned or hook in self.callbacks.loud_hooks
        return is_loud or not all(is_quiet(values, *each) for each in own)

    def owner_of(self, hook: str) -> str | None:
        """The variable that has a hook which the data module may override."""
        if self.data is not None and hook in self.data.methods:
            return "data"
        return "model" if hook in self.model.methods else None
