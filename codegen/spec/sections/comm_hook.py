"""The spec's `ddp.comm_hook`: what gradients go through on their way between the ranks."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    Tag,
    WithJsonSchema,
    model_validator,
)

from .section import CLASS_PATH, FINITE, OBJECT, JsonSchema, ObjectSettings, Section, is_number

_TORCHS = "torch.distributed.algorithms.ddp_comm_hooks"

HOOKS = {
    f"{_TORCHS}.default_hooks.fp16_compress_hook": "fp16",
    f"{_TORCHS}.default_hooks.bf16_compress_hook": "bf16",
    f"{_TORCHS}.powerSGD_hook.powerSGD_hook": "powersgd",
}
"""Torch's own, and what they are called in a spec."""

WRAPPERS = {f"{_TORCHS}.default_hooks.{name}_compress_wrapper": name for name in ("fp16", "bf16")}
"""What compresses what another hook sends."""

POST_LOCAL_SGD = f"{_TORCHS}.post_localSGD_hook.post_localSGD_hook"
POST_LOCAL_SGD_STATE = f"{_TORCHS}.post_localSGD_hook.PostLocalSGDState"

POWER_SGD = "powersgd"
POWER_SGD_STATE = f"{_TORCHS}.powerSGD_hook.PowerSGDState"

_UNUSABLE = {
    f"{_TORCHS}.powerSGD_hook.batched_powerSGD_hook": "batched_powersgd",
    POST_LOCAL_SGD: "post_localsgd",
}


def _size(value: Any) -> int | float:
    if is_number(value) and value >= 0:
        return value
    raise ValueError("must be a number, and not negative")


Size = Annotated[
    int | float, PlainValidator(_size), WithJsonSchema({"type": "number", **FINITE, "minimum": 0})
]


_OFF: JsonSchema = {
    "properties": {name: {"const": False} for name in ("use_error_feedback", "warm_start")},
    "required": ["use_error_feedback", "warm_start"],
}
_TOO_EARLY: JsonSchema = {
    "properties": {"start_powerSGD_iter": {"type": "integer", "maximum": 1}},
    "required": ["start_powerSGD_iter"],
}


class PowerSgdSettings(Section):
    """What torch's PowerSGDState is made with."""

    model_config = ConfigDict(json_schema_extra={"not": {**_TOO_EARLY, "not": _OFF}})

    matrix_approximation_rank: Annotated[StrictInt, Field(ge=1)] = 1
    """Columns that are sent of each matrix: more for more of the gradient, and more traffic."""
    start_powerSGD_iter: Annotated[StrictInt, Field(ge=0)] = 1000
    """Optimizer steps before compression begins; about a tenth of all steps."""
    min_compression_rate: Size = 2
    """Parameters that would not shrink by this factor are sent as they are."""
    use_error_feedback: StrictBool = True
    """Turn off to lose what compression leaves out, and to save the memory of one gradient."""
    warm_start: StrictBool = True
    """Turn off to begin each step with random matrices."""
    orthogonalization_epsilon: Size = 0
    """A very small number, 1e-8, where columns may be zero."""
    random_seed: Annotated[StrictInt, Field(ge=0, le=2**32 - 1)] = 0
    """Of the first matrices."""
    compression_stats_logging_frequency: Annotated[StrictInt, Field(ge=1)] = 10_000
    """Steps between lines in torch's log that say how much is compressed."""
    batch_tensors_with_same_shape: StrictBool = False
    """Turn on to compress parameters of one shape at once; wants large buckets."""

    @model_validator(mode="after")
    def _begins_late_enough(self) -> PowerSgdSettings:
        if (self.use_error_feedback or self.warm_start) and self.start_powerSGD_iter < 2:
            raise ValueError(
                "must have a `start_powerSGD_iter` of 2 or more, unless `use_error_feedback` and `warm_start` are "
                "off: DistributedDataParallel lays out its buckets anew in the second step"
            )
        return self

    def given(self) -> dict[str, Any]:
        """What has to be written: the values that are not torch's own defaults."""
        return {name: value for name, value in self if value != type(self).model_fields[name].default}


KINDS_OF_STATES = ("(arguments)", "(object)")
"""Stand in the places of errors; no key of a file is one."""


def _kind_of_state(state: Any) -> str:
    is_object = isinstance(state, ObjectSettings | str) or (
        isinstance(state, Mapping) and "class_path" in state
    )
    return KINDS_OF_STATES[is_object]


def _hook(path: str) -> str:
    name = HOOKS.get(path) or _UNUSABLE.get(path) or path
    if name == "batched_powersgd":
        raise ValueError(
            "must be another: torch's `batched_powerSGD_hook` fails as soon as it compresses. Write `powersgd`, with "
            "`batch_tensors_with_same_shape: true` in its state"
        )
    if name == "post_localsgd":
        raise ValueError(
            "must be another: for local SGD write `ddp: {local_sgd: {period: 4}}`, which averages models too"
        )
    if any(not part.isidentifier() or keyword.iskeyword(part) for part in name.split(".")):
        raise ValueError(
            "must be `fp16`, `bf16`, `powersgd`, or the path of a function, such as `my_project.hooks.mean`"
        )
    return name


class Half(str, Enum):
    """What is sent in half precision."""

    FP16 = "fp16"
    BF16 = "bf16"


def _wrapper(value: Any) -> Any:
    return WRAPPERS.get(value, value) if isinstance(value, str) else value


_STATELESS = [pair for pair in HOOKS.items() if pair[1] != POWER_SGD]
_GIVEN: JsonSchema = {"not": {"type": "null"}}
_HOOK: JsonSchema = {
    **CLASS_PATH,
    "not": {"enum": [*_UNUSABLE, *_UNUSABLE.values()]},
}


def _with_short_form(schema: dict[str, Any]) -> None:
    """A hook's name alone."""
    stateless = {"hook": {"enum": [each for name in _STATELESS for each in name]}}
    full = {**schema, "not": {"properties": {**stateless, "state": _GIVEN}, "required": ["hook", "state"]}}
    schema.clear()
    schema["anyOf"] = [full, _HOOK]


class CommHookSettings(Section):
    """A communication hook of DistributedDataParallel's."""

    model_config = ConfigDict(json_schema_extra=_with_short_form)

    hook: Annotated[StrictStr, AfterValidator(_hook), WithJsonSchema(_HOOK)]
    """`fp16`, `bf16` or `powersgd`; or the path of a function of your own, `my_project.hooks.rounded`."""
    state: (
        Annotated[
            Annotated[PowerSgdSettings, Tag(KINDS_OF_STATES[0])]
            | Annotated[ObjectSettings, Tag(KINDS_OF_STATES[1]), WithJsonSchema(OBJECT)],
            Discriminator(_kind_of_state),
        ]
        | None
    ) = None
    """Arguments of PowerSGDState, or an object of your own, `{class_path: my_project.hooks.Sums}`."""
    wrapper: Annotated[Half, BeforeValidator(_wrapper)] | None = None
    """`fp16` or `bf16`: what the hook sends is compressed to that type as well."""

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        """A hook's name alone; torch's state as an object."""
        if isinstance(value, str):
            return {"hook": value}
        state = value.get("state") if isinstance(value, dict) else None
        if isinstance(state, dict) and state.get("class_path") == POWER_SGD_STATE:
            arguments = state.get("init_args") or {}
            return {
                **value,
                "state": {name: arguments[name] for name in arguments if name != "process_group"},
            }
        return value

    @model_validator(mode="after")
    def _of_a_hook(self) -> CommHookSettings:
        if self.state and self.hook in HOOKS.values() and self.hook != POWER_SGD:
            raise ValueError(f"must have no `state`: `{self.hook}` keeps none")
        return self

    @property
    def own_path(self) -> str | None:
        """The path of a function that is none of torch's own three."""
        return None if self.hook in HOOKS.values() else self.hook

    @property
    def keeps_power_sgd(self) -> bool:
        """Whether its state is torch's for PowerSGD."""
        return isinstance(self.state, PowerSgdSettings) or (self.hook == POWER_SGD and self.state is None)

    @property
    def power_sgd(self) -> PowerSgdSettings:
        return self.state if isinstance(self.state, PowerSgdSettings) else PowerSgdSettings()
