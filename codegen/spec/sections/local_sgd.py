"""The spec's `ddp.local_sgd`: ranks average their parameters now and then, in the place of gradients in each step."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field, PlainValidator, StrictBool, StrictInt, WithJsonSchema

from .section import JsonSchema, Section

_SIZE: JsonSchema = {"type": "integer", "minimum": 1}
_PERIOD: JsonSchema = {
    "anyOf": [
        {"type": "integer", "minimum": 2},
        {"type": "object", "minProperties": 1, "additionalProperties": _SIZE},
    ]
}

Period = int | Mapping[int, int]


def _period(value: Any) -> Period:
    """A number of steps, or sizes of groups by numbers of steps."""
    if type(value) is int and value > 1:
        return value
    if isinstance(value, Mapping) and value:
        steps = [int(key) if str(key).isdecimal() else 0 for key in value]
        sizes = list(value.values())
        if all(type(size) is int and size > 0 for size in sizes) and _grows(steps) and _grows(sizes):
            return dict(zip(steps, sizes, strict=True))
    raise ValueError(
        "must be a number of steps, 2 or more, or sizes of groups by numbers of steps, both growing, as in "
        "`{4: 8, 16: 32}`: of 8 ranks each fourth step, of all 32 each sixteenth"
    )


def _grows(numbers: list[int]) -> bool:
    return all(one < other for one, other in pairwise([0, *numbers]))


class LocalSgdSettings(Section):
    """Post-local SGD of torch's."""

    period: Annotated[Period, PlainValidator(_period), WithJsonSchema(_PERIOD)] = 4
    """Optimizer steps from one average of the parameters to the next; by groups, `{4: 8, 16: 32}`."""
    start_localSGD_iter: Annotated[StrictInt, Field(ge=0)] = 100
    """Optimizer steps before, in which gradients are averaged over all ranks."""
    subgroup_size: Annotated[StrictInt, Field(ge=1)] | None = None
    """Ranks that go on averaging gradients with each other in each step; unset, those of a node."""
    post_local_gradient_allreduce: StrictBool = True
    """Turn off to average no gradients from then on."""
