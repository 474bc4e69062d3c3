"""The spec's `compile`: what of the training torch compiles."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

from pydantic import (
    ConfigDict,
    PlainValidator,
    StrictBool,
    StrictStr,
    WithJsonSchema,
)

from .section import JsonSchema, Section, or_forms


class Part(str, Enum):
    """A part of the training that is compiled as one."""

    STEP = "step"
    MODEL = "model"


class Mode(str, Enum):
    """What torch compiles for; `default` is torch's own."""

    DEFAULT = "default"
    REDUCE_OVERHEAD = "reduce-overhead"
    MAX_AUTOTUNE = "max-autotune"
    MAX_AUTOTUNE_NO_CUDAGRAPHS = "max-autotune-no-cudagraphs"


_NAME: JsonSchema = {"type": "string", "pattern": r"^[^\W\d]\w*$"}
_WHAT: JsonSchema = {
    "anyOf": [
        {"enum": [part.value for part in Part]},
        {"type": "array", "items": _NAME, "minItems": 1},
    ]
}

What = Part | tuple[str, ...]


def _what(value: Any) -> What:
    """A part, or the names of classes."""
    if value in [part.value for part in Part]:
        return Part(value)
    names = value if isinstance(value, list | tuple) else ()
    if names and all(isinstance(name, str) and name.isidentifier() for name in names):
        return tuple(dict.fromkeys(names))
    raise ValueError("must be `step`, `model`, or a list of the names of classes of layers, as in `[Block]`")


class CompileSettings(Section):
    """What `torch.compile` compiles, and how."""

    model_config = ConfigDict(json_schema_extra=or_forms({"type": "boolean"}, *_WHAT["anyOf"]))

    what: Annotated[What, PlainValidator(_what), WithJsonSchema(_WHAT)] = Part.STEP
    """`step`: forward and loss in one; `model`: its `forward`; or the layers of some classes, `[Block]`."""
    mode: Mode = Mode.DEFAULT
    """What torch compiles for:"""
    dynamic: StrictBool | None = None
    """Turn on where shapes differ from batch to batch, off to compile for each; unset, torch finds out."""
    fullgraph: StrictBool = False
    """Turn on to stop where torch cannot compile it in one piece."""
    backend: StrictStr = "inductor"
    """Another of torch's compilers, such as `aot_eager`, to look for the cause of a fault."""

    def arguments(self) -> dict[str, Any]:
        """What has to be written in the call: the values that are not torch's own defaults."""
        names = ("mode", "dynamic", "fullgraph", "backend")
        defaults = {name: type(self).model_fields[name].default for name in names}
        given = {name: getattr(self, name) for name in names if getattr(self, name) != defaults[name]}
        return {name: value.value if isinstance(value, Mode) else value for name, value in given.items()}


def compile_settings(value: Any) -> Any:
    """With its short forms: a switch, or what is compiled alone."""
    if isinstance(value, bool):
        return CompileSettings() if value else None
    return {"what": value} if isinstance(value, str | list) else value
