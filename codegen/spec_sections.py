"""The spec's sections and their rules: frozen pydantic models, each with its defaults."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from datetime import timedelta
from enum import Enum
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    model_validator,
)

from .section import Section, is_number
from .trainer_settings import TrainerSettings


class Strategy(str, Enum):
    """How many processes train, and what they share."""

    SINGLE = "single"
    DDP = "ddp"


class SyncMode(str, Enum):
    """When gradients are averaged over the ranks."""

    SINGLE_AUTO_SYNC = "single_auto_sync"
    MULTI_AUTO_SYNC = "multi_auto_sync"
    FORCED_SYNC = "forced_sync"


class Imports(str, Enum):
    """Which of the project's other modules become part of the script."""

    EMBED_LIGHTNING = "embed-lightning"
    EMBED_ALL = "embed-all"


class Backend(str, Enum):
    """What carries the collectives; `auto` is nccl on CUDA devices and gloo on the CPU."""

    AUTO = "auto"
    GLOO = "gloo"
    MPI = "mpi"
    NCCL = "nccl"
    UCC = "ucc"
    XCCL = "xccl"


class Logger(str, Enum):
    """Where metrics are written."""

    JSONL = "jsonl"
    TENSORBOARD = "tensorboard"


def _megabytes(value: Any) -> int | float:
    if is_number(value) and value > 0:
        return value  # type: ignore[no-any-return]
    raise ValueError("must be a positive number of MiB")


Megabytes = Annotated[int | float, PlainValidator(_megabytes)]


class DdpSettings(Section):
    """DistributedDataParallel's own arguments."""

    # left out: arguments that hold objects (parameters, hooks, dtypes, a mesh); devices and the group, which
    # are the rank's; `dim` and `check_reduction`, which do nothing any more

    broadcast_buffers: StrictBool = True
    init_sync: StrictBool = True
    bucket_cap_mb: Megabytes | None = None
    find_unused_parameters: StrictBool = False
    gradient_as_bucket_view: StrictBool = True
    static_graph: StrictBool = False
    skip_all_reduce_unused_params: StrictBool = False
    bucket_cap_mb_list: Annotated[tuple[Megabytes, ...], Field(min_length=1)] | None = None
    batched_grad_copy: StrictBool = False
    forward_sync_buffers: StrictBool | None = None

    def arguments(self) -> dict[str, Any]:
        """What has to be written in the call: the values that are not torch's own defaults."""
        defaults = {name: field.default for name, field in type(self).model_fields.items()}
        defaults["gradient_as_bucket_view"] = False
        return {name: value for name, value in self if value != defaults[name]}


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


class ProcessGroupSettings(Section):
    """How the ranks find and await each other."""

    backend: Backend = Backend.AUTO
    timeout: Annotated[timedelta, PlainValidator(_duration)] = timedelta(minutes=10)


def _identifier(name: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError("must be a Python name")
    return name


def _class_path(path: str) -> str:
    for part in path.split("."):
        if not part.isidentifier() or keyword.iskeyword(part):
            raise ValueError("must be a class's name, such as `Model` or `package.models.Model`")
    return path


class ClassSettings(Section):
    """A class to train, or to take data from, and values for its constructor's arguments."""

    class_path: Annotated[StrictStr, AfterValidator(_class_path)] | None = None
    init_args: Mapping[Annotated[StrictStr, AfterValidator(_identifier)], Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        """As on Lightning's command line: a class's name alone, or its arguments alone."""
        if isinstance(value, str):
            return {"class_path": value}
        if isinstance(value, dict) and not value.keys() & {"class_path", "init_args"}:
            return {"init_args": value}
        return value

    @property
    def class_name(self) -> str | None:
        return self.class_path.rpartition(".")[2] if self.class_path else None


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


class CheckpointSettings(Section):
    """When checkpoints are written, and where; `last.ckpt` always is."""

    dir: Annotated[StrictStr, AfterValidator(_directory)] | None = None
    every_n_epochs: Annotated[StrictInt, Field(ge=1)] = 1
    save_last: Annotated[bool, PlainValidator(_always)] = True
    resume: Resume = Resume.AUTO


class OptimizerSettings(Section):
    """What a build may change in the user's optimizer."""

    fused: StrictBool = False


def _seed(value: Any) -> int | None:
    if value is None or value is False:
        return None
    if value is True:
        raise ValueError("must be a number: `true` would draw another seed on each run")
    if isinstance(value, int) and 0 <= value < 2**32:
        return value
    raise ValueError(f"must be a whole number from 0 to {2**32 - 1}, or false")


def _checkpoint(value: Any) -> Any:
    return {True: CheckpointSettings(), False: None}[value] if isinstance(value, bool) else value


def _loggers(value: Any) -> Any:
    if isinstance(value, bool):
        return (Logger.JSONL,) if value else ()
    return (value,) if isinstance(value, str) else value


def _distinct(loggers: tuple[Logger, ...]) -> tuple[Logger, ...]:
    return tuple(dict.fromkeys(loggers))


def _left_out(value: Any) -> None:
    if value is not None:
        raise ValueError("must be left out: the script continues a run with `--resume`")


class StrategySpec(Section):
    """How a model is trained; `trainer`, `model`, `data` and `seed_everything` are as in LightningCLI."""

    strategy: Strategy = Strategy.DDP
    sync: SyncMode = SyncMode.SINGLE_AUTO_SYNC
    ddp: DdpSettings = DdpSettings()
    process_group: ProcessGroupSettings = ProcessGroupSettings()
    seed_everything: Annotated[int | None, PlainValidator(_seed)] = None
    trainer: TrainerSettings = TrainerSettings()
    model: ClassSettings = ClassSettings()
    data: ClassSettings = ClassSettings()
    checkpoint: Annotated[CheckpointSettings | None, BeforeValidator(_checkpoint)] = CheckpointSettings()
    logger: Annotated[tuple[Logger, ...], BeforeValidator(_loggers), AfterValidator(_distinct)] = (
        Logger.JSONL,
    )
    optimizer: OptimizerSettings = OptimizerSettings()
    imports: Imports = Imports.EMBED_LIGHTNING
    # LightningCLI writes these two into each file that it saves
    ckpt_path: Annotated[None, PlainValidator(_left_out)] = None
    weights_only: Annotated[None, PlainValidator(_left_out)] = None
