"""The spec's `model_parallel`: how ranks are divided, and by which plan, if not by the model's `configure_model`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from .fsdp import Path
from .parallel_plan import LayerStyle
from .section import JsonSchema, Section

AUTO = "auto"

_SIZE: JsonSchema = {"anyOf": [{"type": "integer", "minimum": 1}, {"const": AUTO}]}


def _size(value: Any) -> int | str:
    if value == AUTO or (type(value) is int and value > 0):
        return value  # type: ignore[no-any-return]  # one of the two
    raise ValueError("must be `auto`, or a number of ranks, 1 or more")


Size = Annotated[int | str, PlainValidator(_size), WithJsonSchema(_SIZE)]


class ModelParallelSettings(Section):
    """The sizes of the mesh that the model finds as `self.device_mesh`, and a plan for one that shares nothing out."""

    data_parallel_size: Size = AUTO
    """Groups of ranks that read other data; `auto` for as many as there are nodes, or as the other size leaves."""
    tensor_parallel_size: Size = AUTO
    """Ranks that have parts of one model; `auto` for those of a node, or as many as the other size leaves."""
    plan: dict[Path, LayerStyle] = Field(default_factory=dict)
    """Where the model shares nothing out, torch's styles: `{layers.*.up: colwise, layers.*.down: rowwise}`."""
