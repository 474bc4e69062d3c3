"""The spec's `fsdp`: how a model is sharded over the ranks, by `fully_shard` of torch's."""

from __future__ import annotations

import keyword
import re
from enum import Enum
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    WithJsonSchema,
    model_validator,
)

from .section import CLASS_PATH, JsonSchema, Section, check_class_path, or_forms

_PATH = r"[\w*?\[\]!-]+(\.[\w*?\[\]!-]+)*"
_PATHS: JsonSchema = {"type": "string", "pattern": f"^{_PATH}$"}


def _path(path: str) -> str:
    if not re.fullmatch(_PATH, path):
        raise ValueError("must be a module's path, such as `encoder.layers.*`")
    return path


Path = Annotated[StrictStr, AfterValidator(_path)]


def _method(name: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError("must be a method's name, such as `encode`")
    return name


MethodName = Annotated[StrictStr, AfterValidator(_method)]
_METHODS: JsonSchema = {"type": "array", "items": {"type": "string", "pattern": r"^[^\W\d]\w*$"}}
ClassName = Annotated[StrictStr, AfterValidator(check_class_path)]


def _listed(items: JsonSchema) -> JsonSchema:
    return {"type": "array", "items": items, "minItems": 1}


def _by_classes(schema: dict[str, Any]) -> None:
    """Names of classes alone; or one way of the three."""
    is_given: JsonSchema = {"not": {"type": "null"}}
    ways = [{"properties": {name: is_given}, "required": [name]} for name in schema["properties"]]
    full = {**schema, "oneOf": ways}
    schema.clear()
    schema["anyOf"] = [full, _listed(CLASS_PATH)]


_WAYS = "must be names of classes in a list, or one of `{modules: [encoder.layers.*]}` and `{min_params: 1000000}`"


class WrapSettings(Section):
    """Which modules are gathered and freed by themselves, beside the model as a whole."""

    model_config = ConfigDict(json_schema_extra=_by_classes)

    classes: Annotated[tuple[ClassName, ...], WithJsonSchema(_listed(CLASS_PATH))] | None = None
    """Those of these classes, `[TransformerEncoderLayer]`."""
    modules: Annotated[tuple[Path, ...], WithJsonSchema(_listed(_PATHS))] | None = None
    """Those at these paths, `[encoder.layers.*, decoder]`."""
    min_params: Annotated[StrictInt, Field(ge=1)] | None = None
    """Those with at least so many parameters that belong to no smaller one."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError(_WAYS)
        return {"classes": value} if isinstance(value, list | tuple) else value

    @model_validator(mode="after")
    def _one_way(self) -> WrapSettings:
        if sum(bool(each) for _, each in self) != 1:
            raise ValueError(_WAYS)
        return self


_CLASSES: JsonSchema = {"type": "array", "items": CLASS_PATH}
_RESHARD: JsonSchema = {"anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 2}]}


def _reshard(value: Any) -> bool | int:
    if isinstance(value, bool) or (isinstance(value, int) and value > 1):
        return value
    raise ValueError("must be true, false, or a number of ranks")


class DType(str, Enum):
    """torch's types of numbers that models are computed in."""

    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"


def _switched(section: type[Section]) -> BeforeValidator:
    """`true` and `false` beside a mapping."""

    def read(value: Any) -> Any:
        if isinstance(value, bool):
            return section() if value else None
        if isinstance(value, dict | section | None):
            return value
        raise ValueError("must be true or false, or a mapping, written as `name: value`")

    return BeforeValidator(read)


class MixedPrecisionSettings(Section):
    """What is gathered, computed and sent in another type, by torch's MixedPrecisionPolicy."""

    model_config = ConfigDict(json_schema_extra=or_forms({"type": "boolean"}))

    param_dtype: DType | None = None
    """What parameters are gathered and computed with as; unset, what the Trainer's `precision` mixes in."""
    reduce_dtype: DType | None = None
    """What gradients are added up in; unset, that too: `float32` loses less."""
    output_dtype: DType | None = None
    """What comes out of the model and of what is wrapped; unset, it stays as it is."""
    cast_forward_inputs: StrictBool = True
    """Turn off to leave batches, and what else goes in, as they are."""


class OffloadSettings(Section):
    """What the CPU keeps of the model, by torch's CPUOffloadPolicy."""

    model_config = ConfigDict(json_schema_extra=or_forms({"type": "boolean"}))

    pin_memory: StrictBool = True
    """Turn off where the CPU has little memory; copies are slower then."""


class FsdpSettings(Section):
    """How the model is sharded."""

    wrap: WrapSettings | None = None
    """What is gathered at a time: `[Block]`, `{modules: [layers.*]}` or `{min_params: 1000000}`; unset, all at once."""
    reshard_after_forward: Annotated[bool | int, PlainValidator(_reshard), WithJsonSchema(_RESHARD)] = True
    """False to keep what is wrapped until its backward: faster, more memory; a number: among so many ranks."""
    replicate: Annotated[StrictInt, Field(ge=2)] | None = None
    """Copies of the model, each of which a group of ranks shares out: for a slow network between nodes (HSDP)."""
    forward_methods: Annotated[tuple[MethodName, ...], WithJsonSchema(_METHODS)] = ()
    """Methods by which code calls what is wrapped, beside `forward`, `[encode, decode]`: they gather it too."""
    activation_checkpointing: Annotated[tuple[ClassName, ...], WithJsonSchema(_CLASSES)] = ()
    """Classes of modules that the backward computes anew, `[Block]`: less memory, a third more time."""
    mixed_precision: Annotated[MixedPrecisionSettings | None, _switched(MixedPrecisionSettings)] = None
    """`true` to gather and send what `precision: bf16-mixed` computes in; or `{param_dtype: bfloat16, ...}`."""
    cpu_offload: Annotated[OffloadSettings | None, _switched(OffloadSettings)] = None
    """Turn on to keep shares, and step the optimizer, on the CPU: least memory of the device, and slow."""
    empty_init: StrictBool = False
    """Turn on to make the model without memory; layers begin by `reset_parameters` as they are shared out."""
