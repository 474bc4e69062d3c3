"""Lightning's Trainer arguments: what a script takes over, what torchrun decides, what is not supported yet.

One model for both places where they are written: the spec's `trainer` section and `Trainer(...)` in the code.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from ..lightning import lightning_1
from .precision import (
    DTYPES,
    FULL,
    LAYER_SYNC,
    PLUGINS,
    SAVING,
    SHORT,
    Plugin,
    are_environments,
    holds_own,
    may_requeue,
    only_save,
    plugins_read,
    precision_named,
    with_layer_sync,
)
from .sections.section import FINITE, JsonSchema, Section, is_number, requirement


def _limit(value: Any) -> int | float:
    """A number of batches, or a share of them: 1 is one batch, 1.0 is all, so the type stays as written."""
    if is_number(value):
        if 0 <= value <= 1:
            return value
        if value > 1 and value % 1 == 0:
            return int(value)
    raise ValueError("must be a share of the batches from 0.0 to 1.0, or a whole number of batches")


# in JSON, 1 and 1.0 are one
_LIMIT: JsonSchema = {
    "anyOf": [
        {"type": "number", "minimum": 0, "maximum": 1},
        {"type": "integer", "minimum": 2, "maximum": FINITE["maximum"]},
    ]
}
_PRECISION: JsonSchema = {"enum": [*DTYPES, *SHORT, *(int(name) for name in SHORT if name.isdigit())]}
_PLUGIN: JsonSchema = {
    "type": "object",
    "properties": {
        "class_path": {
            "type": "string",
            "pattern": rf"(^|\.)({'|'.join((*PLUGINS, LAYER_SYNC, *SAVING))}|\w*Environment)$",
        },
        "init_args": {"type": ["object", "null"]},
    },
    "required": ["class_path"],
    "additionalProperties": False,
}
_PLUGINS: JsonSchema = {"anyOf": [_PLUGIN, {"type": "array", "items": _PLUGIN}]}
_UNITS = {"weeks", "days", "hours", "minutes", "seconds"}
_DURATION: JsonSchema = {
    "anyOf": [
        {"type": "string", "pattern": r"^\s*\d+:\d\d:\d\d:\d\d\s*$"},
        {
            "type": "object",
            "properties": {unit: {"type": "number", "minimum": 0} for unit in sorted(_UNITS)},
            "additionalProperties": False,
        },
    ]
}
_INTERVAL: JsonSchema = {"anyOf": [{"allOf": [_LIMIT, {"exclusiveMinimum": 0}]}, _DURATION]}
Limit = Annotated[int | float, PlainValidator(_limit), WithJsonSchema(_LIMIT)]


def _interval(value: Any) -> int | float | str:
    if isinstance(value, (str, Mapping)):
        return _duration(value)
    if value == 0 and isinstance(value, int):
        raise ValueError("must not be 0: to turn validation off, set `limit_val_batches` to 0")
    return _limit(value)


def _clip_value(value: Any) -> int | float:
    if not is_number(value):
        raise ValueError("must be a finite number")
    return value


def _clip_algorithm(value: Any) -> str:
    if isinstance(value, str) and value.lower() in ("norm", "value"):
        return value.lower()
    raise ValueError("must be `norm` or `value`")


def _duration(value: Any) -> str:
    """A time as Lightning takes it, written in one way."""
    if isinstance(value, str) and re.fullmatch(r"\d+:\d\d:\d\d:\d\d", value.strip()):
        return value.strip()
    if isinstance(value, Mapping) and value.keys() <= _UNITS and all(map(is_number, value.values())):
        seconds = timedelta(**value).total_seconds()
        if seconds >= 0 and seconds % 1 == 0:
            minutes, hours = int(seconds) // 60, int(seconds) // 3600
            return f"{hours // 24:02}:{hours % 24:02}:{minutes % 60:02}:{int(seconds) % 60:02}"
    raise ValueError(
        "must be days:hours:minutes:seconds, such as `00:12:00:00`, or a mapping such as `hours: 12`"
    )


ACCELERATORS = ("auto", "cpu", "cuda", "gpu", "mps")


def _accelerator(value: Any) -> str:
    if value in ACCELERATORS:
        return str(value)
    if isinstance(value, str) and value.startswith(("ddp", "dp", "horovod")):
        raise ValueError(f"must be a kind of device: `{value}` is a `strategy` now")
    raise ValueError("must be `auto`, `cpu`, `cuda`, `gpu` or `mps`: the script trains on no other")


def _deterministic(value: Any) -> bool | str:
    if isinstance(value, bool):
        return value
    if value == "warn":
        return "warn"
    raise ValueError("must be true, false or `warn`")


def _precision(value: Any) -> str:
    name = precision_named(value)
    if name is None:
        raise ValueError(f"must be one of {', '.join(f'`{each}`' for each in DTYPES)}")
    return name


OF_PRECISION = frozenset({"precision", "plugins"})
"""Settings of which one says what is computed in."""


def without_idle(given: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The arguments, without an interval of 0 where there is no validation, as Lightning does not look at it then."""
    is_idle = _is_zero(given.get("limit_val_batches")) and _is_zero(given.get("val_check_interval"))
    return {name: given[name] for name in given if not (is_idle and name == "val_check_interval")}


def _is_zero(value: object) -> bool:
    return is_number(value) and value == 0


class TrainerSettings(Section):
    """The arguments that a script takes over, with its defaults; `model_fields_set` has those given."""

    # null validates by batches alone, which is not what the default does
    null_is_a_value: ClassVar[frozenset[str]] = frozenset({"check_val_every_n_epoch"})

    @model_validator(mode="before")
    @classmethod
    def _without_idle(cls, given: Any) -> Any:
        return without_idle(given) if isinstance(given, Mapping) else given

    accelerator: Annotated[
        Literal["auto", "cpu", "cuda", "gpu", "mps"],
        PlainValidator(_accelerator),
        WithJsonSchema({"enum": [*ACCELERATORS]}),
    ] = "auto"
    """`cpu` for the CPU where there is a GPU, too; `device`, beside this section, says more."""
    max_epochs: Annotated[StrictInt, Field(ge=-1)] | None = None
    """Lightning's default is 1000; -1 for without end."""
    max_steps: Annotated[StrictInt, Field(ge=-1)] = -1
    """A limit by optimizer steps; -1 for none."""
    max_time: Annotated[str, PlainValidator(_duration), WithJsonSchema(_DURATION)] | None = None
    """A limit by the clock, as days:hours:minutes:seconds: `00:12:00:00` for a job of half a day."""
    min_epochs: Annotated[StrictInt, Field(ge=0)] | None = None
    """At least so many, whatever stops training early."""
    min_steps: Annotated[StrictInt, Field(ge=0)] | None = None
    """At least so many, whatever stops training early."""
    accumulate_grad_batches: Annotated[StrictInt, Field(ge=1)] = 1
    """Batches to an optimizer step: more for larger batches than memory holds."""
    gradient_clip_val: (
        Annotated[int | float, PlainValidator(_clip_value), WithJsonSchema({"type": "number", **FINITE})]
        | None
    ) = None
    """A limit for gradients, where training is not stable."""
    gradient_clip_algorithm: (
        Annotated[
            Literal["norm", "value"],
            PlainValidator(_clip_algorithm),
            WithJsonSchema({"enum": ["norm", "value"]}),
        ]
        | None
    ) = None
    """`norm` limits the norm of all gradients, `value` each of their values."""
    log_every_n_steps: Annotated[StrictInt, Field(ge=0)] = 50
    """More where logging takes time, less for short epochs."""
    limit_train_batches: Limit = 1.0
    """Less to try something out: 1 is one batch, 1.0 is all of them."""
    limit_val_batches: Limit = 1.0
    """As limit_train_batches; 0 leaves validation out."""
    limit_test_batches: Limit = 1.0
    """As limit_train_batches."""
    limit_predict_batches: Limit = 1.0
    """As limit_train_batches."""
    overfit_batches: Limit = 0.0
    """So many batches, or such a share, the same ones in every epoch: to see whether the model can learn at all."""
    check_val_every_n_epoch: Annotated[StrictInt, Field(ge=1)] | None = 1
    """More where validation takes long; null, with a val_check_interval in batches, counts over all epochs."""
    val_check_interval: Annotated[int | float | str, PlainValidator(_interval), WithJsonSchema(_INTERVAL)] = (
        1.0
    )
    """Less than 1.0 to validate within long epochs; a whole number is one of batches; or a time, as `max_time`."""
    num_sanity_val_steps: Annotated[StrictInt, Field(ge=-1)] = 2
    """Batches of validation that are tried before training; 0 for none, -1 for all."""
    reload_dataloaders_every_n_epochs: Annotated[StrictInt, Field(ge=0)] = 0
    """More than 0 where `train_dataloader` gives other data as the training goes on."""
    deterministic: Annotated[
        bool | Literal["warn"],
        PlainValidator(_deterministic),
        WithJsonSchema({"enum": [False, True, "warn"]}),
    ] = False
    """true for the same bits in each run on GPUs too, at some cost; `warn` where that may not be possible."""
    benchmark: StrictBool | None = None
    """true has cuDNN look for its fastest kernels, for inputs whose shapes stay the same."""
    profiler: Literal["pytorch"] | None = None
    """`pytorch` writes traces of the first batches beside the checkpoints, and prints what operations cost."""
    detect_anomaly: StrictBool = False
    """true tells where in the model a gradient became NaN; slow."""
    sync_batchnorm: StrictBool = False
    """true normalizes over the batches of all ranks, on GPUs."""
    precision: Annotated[str, PlainValidator(_precision), WithJsonSchema(_PRECISION)] = FULL
    """`bf16-mixed` is faster on GPUs and needs less memory; `16-mixed` for those without bfloat16."""
    plugins: Annotated[tuple[Plugin, ...], BeforeValidator(plugins_read), WithJsonSchema(_PLUGINS)] = ()
    """`{class_path: HalfPrecision, init_args: {precision: bf16-true}}`, in the place of `precision`."""
    fast_dev_run: StrictBool | Annotated[StrictInt, Field(ge=0)] = False
    """true, or a number of batches, to try the code out: nothing of it is kept."""
    default_root_dir: StrictStr | None = None
    """Where metrics and last.ckpt are written, unless checkpoint.dir says."""
    enable_progress_bar: StrictBool = True
    """Turn off where output is kept in a log."""
    use_distributed_sampler: StrictBool = True
    """Turn off where your loaders deal their data out among ranks themselves."""

    @property
    def accumulates(self) -> bool:
        """Whether several batches make an optimizer step."""
        return self.accumulate_grad_batches > 1

    @property
    def of_automatic_optimization(self) -> frozenset[str]:
        """Those that are set, and of no use where the model steps its optimizers itself."""
        idle = OF_AUTOMATIC_OPTIMIZATION.items()
        return frozenset(name for name, most in idle if (getattr(self, name) or most) > most)

    @property
    def train_shares(self) -> tuple[str, ...]:
        """Those that are shares of the number of training batches, where no other setting says that number."""
        counted = type(self.limit_train_batches) is int
        return ("limit_train_batches",) if counted else ("limit_train_batches", "val_check_interval")

    @property
    def skips_validation(self) -> bool:
        """Whether there are epochs without validation."""
        return (self.check_val_every_n_epoch or 1) > 1

    @property
    def validates_each_epoch(self) -> bool:
        """Whether there is none."""
        return self.check_val_every_n_epoch == 1

    @property
    def ignores_epochs(self) -> bool:
        """Whether epochs have no say in when validation is due."""
        return self.check_val_every_n_epoch is None

    @property
    def validates_over_epochs(self) -> bool:
        """Whether validation goes by batches that are counted over all epochs."""
        return self.ignores_epochs and type(self.val_check_interval) is int

    @property
    def validates_by_time(self) -> bool:
        """Whether validation goes by the clock."""
        return isinstance(self.val_check_interval, str)

    @property
    def validates_by_epoch(self) -> bool:
        """Whether validation goes by whole epochs."""
        return self.is_whole_epoch and not self.ignores_epochs

    @property
    def is_whole_epoch(self) -> bool:
        """Whether an epoch's last batch is followed by validation, and no other one."""
        return type(self.val_check_interval) is float and self.val_check_interval == 1.0

    def overridden_by(self, other: TrainerSettings) -> TrainerSettings:
        """These settings, except where `other` was given a value."""
        names = other.model_fields_set & type(self).model_fields.keys()
        names |= OF_PRECISION if names & OF_PRECISION else frozenset()
        return self.model_copy(update={name: getattr(other, name) for name in names})

    def conflict(self) -> tuple[str, str] | None:
        """The setting that does not go together with another, and why, if there is one."""
        by_share = "val_check_interval" in self.model_fields_set and isinstance(
            self.val_check_interval, float
        )
        if self.ignores_epochs and by_share:
            sentence = (
                "Without `check_val_every_n_epoch`, `val_check_interval` counts batches over all epochs: it "
                "must be a whole number. Write a number of batches."
            )
            return "val_check_interval", sentence
        if self.plugins and self.precision != FULL:
            return "plugins", "`plugins` says what is computed in, and `precision` too. Give one of them."
        return None


_OF_PRECISION: JsonSchema = {"properties": {"class_path": {"pattern": "Precision$"}}, "type": "object"}
CONFLICT: JsonSchema = {
    "anyOf": [
        {
            "required": ["check_val_every_n_epoch", "val_check_interval"],
            "properties": {
                "check_val_every_n_epoch": {"const": None},
                "val_check_interval": {"type": "number", "not": {"type": "integer"}},
            },
        },
        {
            "required": ["precision", "plugins"],
            "properties": {
                "precision": {"not": {"enum": [None, 32, "32", FULL]}},
                "plugins": {"anyOf": [_OF_PRECISION, {"type": "array", "contains": _OF_PRECISION}]},
            },
        },
    ]
}
"""The same, as JSON Schema."""

DEFAULTS = TrainerSettings()

MAX_EPOCHS = 1000
"""How many epochs there are where nothing limits them."""

EXPRESSIBLE: dict[str, Any] = {
    "accelerator": "auto",
    "max_epochs": MAX_EPOCHS,
    "max_steps": 1,
    "max_time": "01:00:00:00",
    "min_epochs": 1,
    "min_steps": 1,
    "accumulate_grad_batches": 2,
    "gradient_clip_val": 1.0,
    "gradient_clip_algorithm": "norm",
    "log_every_n_steps": 50,
    "limit_train_batches": 0.5,
    "limit_val_batches": 0.5,
    "limit_test_batches": 0.5,
    "limit_predict_batches": 0.5,
    "overfit_batches": 0.5,
    "check_val_every_n_epoch": 2,
    "val_check_interval": 0.5,
    "num_sanity_val_steps": 2,
    "reload_dataloaders_every_n_epochs": 1,
    "deterministic": True,
    "benchmark": True,
    "detect_anomaly": True,
    "sync_batchnorm": True,
    "fast_dev_run": True,
    "default_root_dir": "",
    "enable_progress_bar": True,
    "precision": FULL,
    "use_distributed_sampler": True,
}
"""Settings that may be known only when the script runs, with a value for which the loop is general enough."""


TIME = "01:00:00:00"
"""Stands for any time by which validation goes."""


def general_values(known: Mapping[str, Any], unknown: Set[str]) -> dict[str, Any]:
    """Values for those of the `unknown` settings that may be known only when the script runs."""
    general = {name: EXPRESSIBLE[name] for name in unknown if name in EXPRESSIBLE}
    if known.get("check_val_every_n_epoch", 1) is None and "val_check_interval" in general:
        general["val_check_interval"] = 2  # batches, over all epochs
    return general


OF_AUTOMATIC_OPTIMIZATION = {"gradient_clip_val": 0, "accumulate_grad_batches": 1}
"""Of no use where the model steps its optimizers itself, with the most that changes nothing."""

INSTEAD_OF_SETTING = {
    "accumulate_grad_batches": "Use a GradientAccumulationScheduler",
    "max_epochs": "Set `trainer.fit_loop.max_epochs`",
    "optimizers": "Set them in `on_fit_start`",
}
"""What to do in the place of setting them while the training goes on."""

_NUMBERS = frozenset(name for name, value in EXPRESSIBLE.items() if type(value) in (int, float))
"""Settings that are numbers, of which Lightning does not ask whether they are written as true or false."""

OF_VALIDATION_TIMING = ("check_val_every_n_epoch", "val_check_interval")
"""When validation is due: `fast_dev_run` sets them to the defaults, and callbacks ask whether they are those."""


_TORCHRUN = "torchrun decides that"
_SAVED = "checkpoints are the same, and written before the training goes on"
_WHERE = (
    "torchrun says where the other processes are; `launch` in the spec has srun, jsrun or mpiexec say it too"
)
_REQUEUED = (
    f"{_WHERE}. With `preemption: {{requeue: true}}` in the spec, and only then, Slurm is asked to start a job again "
    "that it ends"
)
NO_EFFECT = "that has no effect on training"

# Dropped whatever their value is, even where it is no literal.
DROPPED_ARGUMENTS: Mapping[str, str] = {
    "devices": _TORCHRUN,
    "num_nodes": _TORCHRUN,
    "strategy": "torchrun and the spec decide that",
    "enable_autolog_hparams": NO_EFFECT,
    "enable_checkpointing": "the spec's `checkpoint` decides that",
    "enable_model_summary": NO_EFFECT,
    "inference_mode": NO_EFFECT,
    "profiler": "that changes nothing; `profiler: pytorch` in the spec has torch.profiler measure what operations cost",
}

_FEWER = (
    "the script shows no bar, tries no validation, writes no steps, and a checkpoint only where the spec's "
    "`checkpoint` asks for one; what epochs log it writes"
)

# What leaves them as they are without it; of that nothing is said.
_DEFAULTS: Mapping[str, object] = {
    "devices": "auto",
    "num_nodes": 1,
    "strategy": "auto",
    "enable_autolog_hparams": True,
    "enable_checkpointing": True,
    "enable_model_summary": True,
    "inference_mode": True,
}

# Dropped where they are true or false.
SWITCHES = {"logger": "the spec's `logger` decides that"}

_UNSUPPORTED = {
    "barebones": "Write true or false.",
    "callbacks": "In the spec, describe each with its `class_path`; in code, give `Trainer(callbacks=[...])` objects.",
    "logger": (
        "In code, give `Trainer(logger=...)` an object; in the spec, describe it with its `class_path`. `logger` at "
        "the top of the spec chooses files of the script's own."
    ),
    "model_registry": "Remove it.",
}

BAREBONES = {"enable_progress_bar": False, "log_every_n_steps": 0, "num_sanity_val_steps": 0}
"""What `barebones` sets."""

TRAINER_ARGUMENTS = frozenset({*TrainerSettings.model_fields, *DROPPED_ARGUMENTS, *SWITCHES, *_UNSUPPORTED})


@dataclass(frozen=True)
class Dropped:
    """An argument that the script does without, and why that is right."""

    name: str
    reason: str


@dataclass(frozen=True)
class Problem:
    """An argument that can't be taken over; `sentence` says why and what to do."""

    name: str
    sentence: str


@dataclass(frozen=True)
class TrainerArguments:
    """Arguments as read: `settings` holds the good ones."""

    settings: TrainerSettings
    dropped: tuple[Dropped, ...]
    problems: tuple[Problem, ...]


def as_taken(name: str, value: Any) -> Any:
    """What an argument in code means: true and false are numbers there, and 0 is false."""
    if name in _NUMBERS and isinstance(value, bool):
        return int(value)
    # 1 is not true: Lightning asks torch for nothing then
    return False if name == "deterministic" and _is_zero(value) else value


def read_trainer_arguments(arguments: Mapping[Any, Any]) -> TrainerArguments:
    """Sort `arguments`, names with plain values, into what is taken over, what is dropped, what is wrong."""
    arguments = with_layer_sync(arguments)
    fields = TrainerSettings.model_fields.keys() - DROPPED_ARGUMENTS.keys()
    taken = {
        name: arguments[name] for name in arguments if name in fields or _profiles(name, arguments[name])
    }
    taken |= BAREBONES if arguments.get("barebones") is True else {}
    others = {name: value for name, value in arguments.items() if name not in taken}
    invalid = _invalid(taken)
    wrong = {problem.name for problem in invalid}
    return TrainerArguments(
        TrainerSettings.model_validate({name: taken[name] for name in taken if name not in wrong}),
        tuple(
            Dropped(name, reason) for name in arguments if (reason := _reason_to_drop(name, arguments[name]))
        ),
        (*invalid, *(Problem(name, why) for name in others if (why := _objection(name, others[name])))),
    )


def _profiles(name: Any, value: object) -> bool:
    """Whether it asks for the one profiler that scripts have."""
    return name == "profiler" and value == "pytorch"


def _invalid(arguments: Mapping[str, Any]) -> list[Problem]:
    try:
        TrainerSettings.model_validate(arguments)
    except ValidationError as failure:
        errors = failure.errors(include_url=False)
        return [Problem(str(e["loc"][0]), f"`{e['loc'][0]}` {requirement(e)}.") for e in errors]
    return []


def _reason_to_drop(name: Any, value: object) -> str | None:
    if name == "strategy" and isinstance(value, str) and value.endswith("find_unused_parameters_true"):
        return f"{_TORCHRUN}; `ddp: {{find_unused_parameters: true}}` in the spec does what it did"
    if name == "plugins":
        if holds_own(value):
            return None
        where = _REQUEUED if may_requeue(value) else _WHERE
        return where if are_environments(value) else _SAVED if only_save(value) else None
    if name == "logger" and value is False:
        return "nothing is logged but what the spec's `logger` asks for"
    if name == "barebones":
        return _FEWER if value is True else None
    if name in SWITCHES:
        return SWITCHES[name] if isinstance(value, bool) else None
    if _profiles(name, value):
        return None
    is_default = value is None or (name in _DEFAULTS and value == _DEFAULTS[name])
    return None if is_default else DROPPED_ARGUMENTS.get(name)


def says_nothing(name: str, value: object) -> bool:
    """Whether an argument leaves everything as it is without it."""
    return _reason_to_drop(name, value) is None and _objection(name, value) is None


def _objection(name: Any, value: object) -> str | None:
    """Why an argument that is neither taken over nor dropped stops the build; an empty one does not."""
    if name in DROPPED_ARGUMENTS:
        return None
    if name in _UNSUPPORTED:
        harmless = not value or (name in {*SWITCHES, "barebones"} and value is True)
        lack = "takes objects" if name in ("callbacks", "logger") else "is not supported yet"
        return None if harmless else f"`{name}` {lack}. {_UNSUPPORTED[name]}"
    if removed := lightning_1.removed_argument(str(name)):
        return removed
    close = difflib.get_close_matches(str(name), TRAINER_ARGUMENTS, n=1)
    hint = f"Did you mean `{close[0]}`?" if close else "Remove it."
    return f"Lightning's Trainer has no argument `{name}`. {hint}"
