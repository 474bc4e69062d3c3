"""The spec's sections and their rules: frozen pydantic models, each with its defaults."""

from __future__ import annotations

import re
from datetime import timedelta
from enum import Enum
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    WithJsonSchema,
    model_validator,
)

from ...lightning.lightning_1 import removed_argument
from ..trainer_settings import DROPPED_ARGUMENTS, EXPRESSIBLE, TRAINER_ARGUMENTS, TrainerSettings
from .comm_hook import CommHookSettings
from .compilation import CompileSettings, compile_settings
from .fsdp import FsdpSettings
from .join import JoinSettings, join_settings
from .layer_sync import LayerSyncSettings
from .local_sgd import LocalSgdSettings
from .microbatch import MicrobatchSettings
from .model_parallel import ModelParallelSettings
from .section import (
    CLASS_PATH,
    FINITE,
    INIT_ARGS,
    NAMES,
    OBJECT,
    Arguments,
    JsonSchema,
    ObjectSettings,
    Section,
    check_class_path,
    is_number,
    or_forms,
)


class Strategy(str, Enum):
    """How many processes train, and what they share."""

    SINGLE = "single"
    DDP = "ddp"
    FSDP = "fsdp"
    MODEL_PARALLEL = "model_parallel"

    @property
    def is_sharded(self) -> bool:
        """Whether each rank has a share of the model."""
        return self in (Strategy.FSDP, Strategy.MODEL_PARALLEL)


class SyncMode(str, Enum):
    """When gradients are averaged over the ranks."""

    SINGLE_AUTO_SYNC = "single_auto_sync"
    MULTI_AUTO_SYNC = "multi_auto_sync"
    FORCED_SYNC = "forced_sync"


class LossKind(str, Enum):
    """What the loss of a batch is over its samples."""

    MEAN = "mean"
    SUM = "sum"


class Imports(str, Enum):
    """Which of the project's other modules become part of the script."""

    EMBED_LIGHTNING = "embed-lightning"
    EMBED_ALL = "embed-all"


class Runtime(str, Enum):
    """Where the script's machinery stands: metrics, callbacks, loggers, checkpoints and the like."""

    INLINE = "inline"
    BESIDE = "beside"


class Backend(str, Enum):
    """What carries the collectives; `auto` is nccl on CUDA devices and gloo on the CPU."""

    AUTO = "auto"
    GLOO = "gloo"
    MPI = "mpi"
    NCCL = "nccl"
    UCC = "ucc"
    XCCL = "xccl"


class Device(str, Enum):
    """What a process computes on; `auto` is the machine's accelerator, else the CPU."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"
    MPS = "mps"
    XPU = "xpu"


class Launch(str, Enum):
    """What may start the processes, beside torchrun."""

    TORCHRUN = "torchrun"
    AUTO = "auto"
    SLURM = "slurm"
    LSF = "lsf"
    MPI = "mpi"
    KUBEFLOW = "kubeflow"


class Logger(str, Enum):
    """Where metrics are written."""

    JSONL = "jsonl"
    TENSORBOARD = "tensorboard"


def _megabytes(value: Any) -> int | float:
    if is_number(value) and value > 0:
        return value
    raise ValueError("must be a positive number of MiB")


Megabytes = Annotated[
    int | float,
    PlainValidator(_megabytes),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, **FINITE}),
]


_OF_A_RANK = "each process finds its device by itself"
_OF_ALL_RANKS = "gradients are averaged over all ranks"
_DELAYED = "torch does not wait until what it delays is averaged, and ranks drift apart"
_NOTHING = "torch does nothing with it any more"

LEFT_OUT_OF_DDP = {
    "module": "it is the model's step",
    "device_ids": _OF_A_RANK,
    "output_device": _OF_A_RANK,
    "dim": _NOTHING,
    "process_group": _OF_ALL_RANKS,
    "check_reduction": _NOTHING,
    "delay_all_reduce_named_params": _DELAYED,
    "param_to_hook_all_reduce": _DELAYED,
    "mixed_precision": "it is private to torch, and for GPUs alone; `precision: bf16-mixed` of the Trainer is for all",
    "device_mesh": _OF_ALL_RANKS,
}
"""DistributedDataParallel's arguments that no script gives it, and why."""


BESIDE_DDP = frozenset({"comm_hook", "join", "local_sgd", "wrapper"})
"""Settings that are none of its arguments."""


class DdpSettings(Section):
    """DistributedDataParallel's own arguments."""

    broadcast_buffers: StrictBool = True
    """Turn off where ranks may keep buffers of their own, such as BatchNorm's means."""
    init_sync: StrictBool = True
    """Turn off where all ranks surely begin with the same weights."""
    bucket_cap_mb: Megabytes | None = None
    """MiB of gradients that are shared at a time: more for fast networks. Unset, it is torch's 25."""
    find_unused_parameters: StrictBool = False
    """Turn on where a step may leave parameters unused; costs a walk over the graph."""
    gradient_as_bucket_view: StrictBool = True
    """Turn off where code detaches gradients in place; costs a copy of all gradients."""
    static_graph: StrictBool = False
    """Turn on where every step uses the same parameters; needs `sync: multi_auto_sync`."""
    skip_all_reduce_unused_params: StrictBool = False
    """Turn on, beside find_unused_parameters, to share no zeros for unused parameters."""
    bucket_cap_mb_list: Annotated[tuple[Megabytes, ...], Field(min_length=1)] | None = None
    """MiB of each bucket, instead of bucket_cap_mb, to tune overlap by hand."""
    batched_grad_copy: StrictBool = False
    """Turn on to copy many small gradients into their buckets at once."""
    forward_sync_buffers: StrictBool | None = None
    """Instead of broadcast_buffers, from which torch takes it where it is unset."""
    comm_hook: CommHookSettings | None = None
    """How gradients travel: `fp16`, `bf16`, `powersgd`, or `{hook: powersgd, state: {...}, wrapper: fp16}`."""

    local_sgd: LocalSgdSettings | None = None
    """Average parameters every `period` steps, in the place of gradients: for slow networks between nodes."""
    join: Annotated[JoinSettings | None, BeforeValidator(join_settings)] = None
    """Turn on where ranks may have different numbers of batches, or `{divide_by_initial_world_size: false}`."""
    wrapper: Annotated[ObjectSettings | None, WithJsonSchema(OBJECT)] = None
    """A class of your own in its place, `my_project.Averaged`, or `{class_path: ..., init_args: {...}}`."""

    @property
    def objects(self) -> dict[str, ObjectSettings]:
        """Those that are described, by the keys of their settings."""
        state = self.comm_hook.state if self.comm_hook else None
        described = {"ddp.comm_hook.state": state, "ddp.wrapper": self.wrapper}
        return {key: each for key, each in described.items() if isinstance(each, ObjectSettings)}

    def arguments(self) -> dict[str, Any]:
        """What has to be written in the call: the values that are not torch's own defaults."""
        defaults = {name: field.default for name, field in type(self).model_fields.items()}
        defaults["gradient_as_bucket_view"] = False
        return {name: value for name, value in self if value != defaults[name] and name not in BESIDE_DDP}


_DURATION_SCHEMA: JsonSchema = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0, "maximum": 365 * 24 * 3600},
        {
            "type": "string",
            "pattern": r"^(?!0+(\.0+)? ?[smh]?$)"
            r"(\d{1,7}(\.\d{1,6})? ?s?|\d{1,6}(\.\d{1,6})? ?m|\d{1,4}(\.\d{1,6})? ?h)$",
        },
    ]
}

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def _duration(value: Any) -> timedelta:
    if isinstance(value, timedelta):
        return value
    text = str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([smh]?)", text) if isinstance(text, str) else None
    seconds = float(match[1]) * _UNITS[match[2]] if match and len(text) < 20 else 0
    # a year: far above any use, far below what overflows
    if not 0 < seconds <= 365 * 24 * 3600:
        raise ValueError("must be a time such as `30s`, `10m` or `2h`, or a number of seconds")
    return timedelta(seconds=seconds)


def _written_duration(value: timedelta) -> str:
    minutes, seconds = divmod(value.total_seconds(), 60)
    return f"{value.total_seconds():g}s" if seconds else f"{minutes:g}m"


Duration = Annotated[
    timedelta,
    PlainValidator(_duration),
    PlainSerializer(_written_duration),
    WithJsonSchema(_DURATION_SCHEMA),
]


class ProcessGroupSettings(Section):
    """How the ranks find and await each other."""

    backend: Backend = Backend.AUTO
    """What carries gradients; `auto` is nccl on GPUs and gloo on the CPU."""
    timeout: Duration = timedelta(minutes=10)
    """How long ranks wait for each other; longer where one of them prepares data."""


def _with_short_forms(schema: dict[str, Any]) -> None:
    """A class's name alone, or its arguments alone."""
    reserved = {"enum": ["class_path", "init_args"]}
    arguments = {**INIT_ARGS, "propertyNames": {"allOf": [NAMES, {"not": reserved}]}}
    full = dict(schema)
    schema.clear()
    schema["anyOf"] = [full, CLASS_PATH, arguments]


class ClassSettings(Section):
    """A class to train, or to take data from, and values for its constructor's arguments."""

    model_config = ConfigDict(json_schema_extra=_with_short_forms)

    class_path: Annotated[StrictStr, AfterValidator(check_class_path), WithJsonSchema(CLASS_PATH)] | None = (
        None
    )
    """Which class, where the file has several, or does not say."""
    init_args: Arguments = Field(default_factory=dict)
    """Values for its constructor, `{hidden: 64}`; they become the defaults of the script's options."""

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        """As on Lightning's command line: a class's name alone, or its arguments alone."""
        if isinstance(value, str):
            return {"class_path": value}
        if isinstance(value, dict) and not value.keys() & {"class_path", "init_args"}:
            return {"init_args": value}
        return value


_OBJECTS: JsonSchema = {"anyOf": [*OBJECT["anyOf"], {"type": "array", "items": OBJECT}]}


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str | dict) else value


Objects = Annotated[tuple[ObjectSettings, ...], BeforeValidator(_listed), WithJsonSchema(_OBJECTS)]


OBJECTS = ("callbacks", "logger")
"""Trainer arguments that may describe objects."""


class TrainerSection(TrainerSettings):
    """Trainer arguments, and objects for the Trainer, as LightningCLI's files describe them."""

    callbacks: Objects = ()
    """`[{class_path: EarlyStopping, init_args: {monitor: val_loss}}]`; those that save come last."""
    logger: Objects = ()
    """`{class_path: CSVLogger, init_args: {save_dir: logs}}`, or several in a list, which the model may ask for."""


def _directory(path: str) -> str:
    if not path or not path.isprintable():
        raise ValueError("must be a directory's path")
    return path


def _always(value: Any) -> bool:
    if value is not True:
        raise ValueError("must be true: `last.ckpt` is always written, so that a run can be resumed")
    return True


class Resume(str, Enum):
    """Whether a run goes on from its last checkpoint: when it is told to or was started again, or never."""

    AUTO = "auto"
    NEVER = "never"


class CheckpointState(str, Enum):
    """Who writes the tensors of a checkpoint: one rank, to a file, or all, to a folder."""

    FULL = "full"
    SHARDED = "sharded"


class CheckpointSettings(Section):
    """When checkpoints are written, and where; `last.ckpt` always is."""

    dir: (
        Annotated[
            StrictStr,
            AfterValidator(_directory),
            WithJsonSchema({"type": "string", "pattern": r"^[^\x00-\x1f\x7f]+$"}),
        ]
        | None
    ) = None
    """Where metrics and last.ckpt are written: a folder, or a URL, `s3://bucket/runs`. Unset, it is runs/<model>."""
    every_n_epochs: Annotated[StrictInt, Field(ge=1)] = 1
    """More where epochs are short and checkpoints large; a stopped run loses as many epochs."""
    every_n_steps: Annotated[StrictInt, Field(ge=1)] | None = None
    """Optimizer steps from one to the next, beside those at epochs' ends: a run goes on within its epoch, exactly."""
    every: Duration | None = None
    """Time from one to the next of those, such as `10m`: all ranks save after the step at hand."""
    keep: Annotated[StrictInt, Field(ge=1)] = 1
    """With 2 or more, last-1.ckpt and so on are those before it: if the last is damaged, a run goes on from there."""
    lock: StrictBool = False
    """Turn on to have a second job in the same folder refused, with the host and process of the first."""
    save_last: Annotated[bool, PlainValidator(_always), WithJsonSchema({"const": True})] = True
    """Always: a run goes on from last.ckpt."""
    resume: Resume = Resume.AUTO
    """`never` leaves out of the script what goes on from a checkpoint."""
    state: CheckpointState = CheckpointState.FULL
    """One file, or, of a model that ranks share, a folder to which each rank writes its share:"""
    in_background: Annotated[StrictBool, Field(alias="async")] = False
    """Turn on to write a copy of the state while training goes on, at the cost of memory for the copy."""


class Signal(str, Enum):
    """What a run is told to leave by."""

    SIGTERM = "SIGTERM"
    SIGUSR1 = "SIGUSR1"
    SIGUSR2 = "SIGUSR2"
    SIGINT = "SIGINT"
    SIGHUP = "SIGHUP"


class OnNan(str, Enum):
    """What becomes of a step whose gradients are NaN or infinite."""

    GO_ON = "go_on"
    STOP = "stop"
    SKIP = "skip"


class PreemptionSettings(Section):
    """What a run does that a scheduler, or Ctrl-C, has told to leave: all ranks save after the same step."""

    model_config = ConfigDict(json_schema_extra=or_forms({"type": "boolean"}))

    signals: Annotated[
        tuple[Signal, ...], Field(min_length=1), AfterValidator(lambda each: tuple(dict.fromkeys(each)))
    ] = (
        Signal.SIGTERM,
        Signal.SIGUSR1,
        Signal.SIGINT,
    )
    """By which it is told; a second SIGINT ends it at once."""
    grace: Duration = timedelta(seconds=30)
    """After so long it leaves even where no step has ended, without saving."""
    exit_code: Annotated[StrictInt, Field(ge=0, le=255)] = 143
    """How it ends then."""
    requeue: StrictBool = False
    """Turn on to have Slurm start the job once more."""


def _preemption(value: Any) -> Any:
    return {True: PreemptionSettings(), False: None}[value] if isinstance(value, bool) else value


class FailureSettings(Section):
    """What ranks do when one fails, or hangs: the cause is told once, and the job ends."""

    model_config = ConfigDict(json_schema_extra=or_forms({"type": "boolean"}))

    hang_timeout: Duration | None = None
    """After so long without a batch on a rank all tell where they are, and end; longer than what comes in between."""


def _failures(value: Any) -> Any:
    return {True: FailureSettings(), False: None}[value] if isinstance(value, bool) else value


OVERLAP = "overlap_with_ddp"


class ZeroSettings(Section):
    """How torch's ZeroRedundancyOptimizer shares out an optimizer's states."""

    model_config = ConfigDict(json_schema_extra=or_forms({"type": "boolean"}))

    parameters_as_bucket_view: StrictBool = False
    """Turn on to send each rank's parameters in one piece; not where code sets `parameter.data`."""

    @model_validator(mode="before")
    @classmethod
    def _without_overlap(cls, value: Any) -> Any:
        if isinstance(value, dict) and OVERLAP in value:
            raise ValueError(
                f"must not have `{OVERLAP}`: with it torch leaves out the first updates, has no states to save, and "
                "refuses gloo"
            )
        return value

    def arguments(self) -> dict[str, Any]:
        """What has to be written: the values that are not torch's own defaults."""
        return {name: value for name, value in self if value}


def _zero(value: Any) -> Any:
    if isinstance(value, bool):
        return ZeroSettings() if value else None
    if isinstance(value, dict | ZeroSettings | None):
        return value
    raise ValueError("must be true or false, or a mapping, written as `name: value`")


class OptimizerSettings(Section):
    """What a build may change in the user's optimizer; the optimizer itself, as LightningCLI's files describe it."""

    OF_THE_SCRIPT: ClassVar[frozenset[str]] = frozenset({"fused", "zero"})  # and not for LightningCLI

    class_path: Annotated[StrictStr, AfterValidator(check_class_path), WithJsonSchema(CLASS_PATH)] | None = (
        None
    )
    """Its class, `Adam`, in the place of the model's own `configure_optimizers`."""
    init_args: Arguments = Field(default_factory=dict)
    """Values for its constructor, `{lr: 0.01}`."""
    dict_kwargs: Arguments = Field(default_factory=dict)
    """More of them, for a constructor that takes any."""
    fused: StrictBool = False
    """Turn on for one kernel for all parameters: faster on GPUs, with other rounding than Lightning's."""
    zero: Annotated[ZeroSettings | None, BeforeValidator(_zero)] = None
    """Turn on to have each rank keep its share of the optimizer's states alone (ZeroRedundancyOptimizer)."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"class_path": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _of_a_class(self) -> OptimizerSettings:
        if self.class_path is None and (self.init_args or self.dict_kwargs):
            raise ValueError("lacks the `class_path` of what `init_args` are for")
        return self

    @property
    def described(self) -> ObjectSettings | None:
        """The optimizer; None: the model's."""
        if self.class_path is None:
            return None
        return ObjectSettings(
            class_path=self.class_path, init_args=self.init_args, dict_kwargs=self.dict_kwargs
        )


_SEED_SCHEMA: JsonSchema = {
    "anyOf": [{"type": "integer", "minimum": 0, "maximum": 2**32 - 1}, {"const": False}]
}


def _seed(value: Any) -> int | None:
    if value is None or value is False:
        return None
    if value is True:
        raise ValueError("must be a number: with `true`, Lightning takes what PL_GLOBAL_SEED says, else 0")
    if isinstance(value, int) and 0 <= value < 2**32:
        return value
    raise ValueError(f"must be a whole number from 0 to {2**32 - 1}, or false")


def _or_switch(schema: dict[str, Any]) -> None:
    schema["anyOf"].append({"type": "boolean"})


def _checkpoint(value: Any) -> Any:
    return {True: CheckpointSettings(), False: None}[value] if isinstance(value, bool) else value


_LOGGER: JsonSchema = {"enum": [logger.value for logger in Logger]}
_LOGGERS_SCHEMA: JsonSchema = {"anyOf": [_LOGGER, {"type": "array", "items": _LOGGER}, {"type": "boolean"}]}


def _loggers(value: Any) -> Any:
    if isinstance(value, bool):
        return (Logger.JSONL,) if value else ()
    return (value,) if isinstance(value, str) else value


def _distinct(loggers: tuple[Logger, ...]) -> tuple[Logger, ...]:
    return tuple(dict.fromkeys(loggers))


def _left_out(value: Any) -> None:
    if value is not None:
        raise ValueError("must be left out: the script continues a run with `--resume`")


_KEYS: JsonSchema = {"type": "array", "items": {"enum": [*EXPRESSIBLE]}}


def _keys(names: tuple[str, ...]) -> tuple[str, ...]:
    if strange := [f"`{name}`: {_no_key(name)}" for name in names if name not in EXPRESSIBLE]:
        raise ValueError(f"must not have {'; nor '.join(strange)}")
    return tuple(dict.fromkeys(names))


def _no_key(name: str) -> str:
    """Why a setting is none of them, and what to do."""
    if name in DROPPED_ARGUMENTS:
        return f"leave it out, {DROPPED_ARGUMENTS[name]}"
    if removed := removed_argument(name):
        return removed.rstrip(".")
    if name not in TRAINER_ARGUMENTS:
        return "Lightning's Trainer has no such argument"
    return "write it into the code's `Trainer(...)`, or into `trainer`"


class StrategySpec(Section):
    """How a model is trained; `trainer`, `model`, `data` and `seed_everything` are as in LightningCLI."""

    strategy: Strategy = Strategy.DDP
    """`fsdp` and `model_parallel` share out the model; `single` is one process:"""
    sync: SyncMode = SyncMode.SINGLE_AUTO_SYNC
    """Gradients are averaged once a step, in every backward, or by hand:"""
    loss: LossKind = LossKind.MEAN
    """What losses are over their batch; gradients of sums are added up over ranks and accumulated batches:"""
    microbatch: MicrobatchSettings | None = None
    """Samples that go through the model at once, `8`, or `auto`, where there is no memory for whole batches."""
    layer_sync: LayerSyncSettings | None = None
    """`batchnorm` over all ranks, or groups of them, `{group_size: 8}`; or a function, `{class_path: my.convert}`."""
    ddp: DdpSettings = DdpSettings()
    """DistributedDataParallel's own arguments."""
    fsdp: FsdpSettings = FsdpSettings()
    """How the model is sharded with `strategy: fsdp`."""
    model_parallel: ModelParallelSettings = ModelParallelSettings()
    """How ranks are divided with `strategy: model_parallel`."""
    process_group: ProcessGroupSettings = ProcessGroupSettings()
    """How the ranks find and await each other."""
    data_parallel_group: Annotated[StrictInt, Field(ge=1)] | None = None
    """Ranks that train one model: of 8 in groups of 2, four train four, each with a seed and a folder of its own."""
    launch: Launch = Launch.TORCHRUN
    """What may start it beside torchrun; `auto` is all of them:"""
    device: Device = Device.AUTO
    """What each process computes on; `auto` leaves it to the Trainer, or the machine:"""
    seed_everything: Annotated[int | None, PlainValidator(_seed), WithJsonSchema(_SEED_SCHEMA)] = None
    """A number, to draw the same random values in every run; false for others each time."""
    trainer: TrainerSection = TrainerSection()
    """Lightning's Trainer arguments; they win over those in the code."""
    trainer_keys: Annotated[tuple[StrictStr, ...], AfterValidator(_keys), WithJsonSchema(_KEYS)] = (
        "accelerator",
        "max_epochs",
    )
    """What `Trainer(**settings)` in the code may hold, where that is known only when the script runs."""
    model: ClassSettings = ClassSettings()
    """The LightningModule; its class's name alone will do."""
    data: ClassSettings = ClassSettings()
    """The LightningDataModule; its class's name alone will do."""
    checkpoint: Annotated[
        CheckpointSettings | None, BeforeValidator(_checkpoint), Field(json_schema_extra=_or_switch)
    ] = CheckpointSettings()
    """When and where last.ckpt is written; `false` for never."""
    preemption: Annotated[PreemptionSettings | None, BeforeValidator(_preemption)] = None
    """Save and leave when told to: `true`, or `{signals: [SIGTERM], grace: 30s, exit_code: 143, requeue: true}`."""
    failures: Annotated[FailureSettings | None, BeforeValidator(_failures)] = None
    """Tell the cause once when ranks fail, and end all: `true`; those that hang, too: `{hang_timeout: 10m}`."""
    on_nan: OnNan = OnNan.GO_ON
    """What follows from gradients that are NaN or infinite: `stop` before a save, or `skip` the step."""
    logger: Annotated[
        tuple[Logger, ...],
        BeforeValidator(_loggers),
        AfterValidator(_distinct),
        WithJsonSchema(_LOGGERS_SCHEMA),
    ] = (Logger.JSONL,)
    """What writes metrics: jsonl, tensorboard, both, or `false` for nothing."""
    optimizer: OptimizerSettings = OptimizerSettings()
    """What a build may change in your optimizer; or which one, as in LightningCLI's files."""
    lr_scheduler: Annotated[ObjectSettings | None, WithJsonSchema(OBJECT)] = None
    """For that optimizer: `{class_path: StepLR, init_args: {step_size: 10}}`."""
    automatic_optimization: StrictBool | None = None
    """Whether your model leaves its optimizers to the script, where only a run can tell; the script looks."""
    compile: Annotated[CompileSettings | None, BeforeValidator(compile_settings)] = None
    """What torch compiles: `step`, `model`, or layers, `[Block]`; or `{what: step, mode: max-autotune}`."""
    imports: Imports = Imports.EMBED_LIGHTNING
    """`embed-all` for one file that needs nothing else of the project."""
    runtime: Runtime = Runtime.INLINE
    """`beside` for a short script that imports its machinery from a second file."""
    # LightningCLI writes these two into each file that it saves
    ckpt_path: Annotated[None, PlainValidator(_left_out), WithJsonSchema({"type": "null"})] = None
    weights_only: Annotated[None, PlainValidator(_left_out), WithJsonSchema({"type": "null"})] = None

    @property
    def stops_accumulating(self) -> bool:
        """Whether torch stops where a backward runs without synchronisation."""
        is_static = self.strategy is Strategy.DDP and self.ddp.static_graph
        return is_static and self.sync is SyncMode.SINGLE_AUTO_SYNC

    @property
    def own_functions(self) -> dict[str, str]:
        """The paths of functions that are to be called, with the keys of the settings that name them."""
        hook, microbatch = self.ddp.comm_hook, self.microbatch
        paths = {
            "ddp.comm_hook.hook": hook.own_path if hook else None,
            "microbatch.split": microbatch.split if microbatch else None,
            "layer_sync.class_path": self.layer_sync.class_path if self.layer_sync else None,
        }
        return {key: path for key, path in paths.items() if path}
