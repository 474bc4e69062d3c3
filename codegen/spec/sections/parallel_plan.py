"""The spec's `model_parallel.plan`: which part of a layer a rank has, by torch's styles of tensor parallelism."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any

from pydantic import ConfigDict, PlainValidator, StrictBool, StrictInt, WithJsonSchema, model_validator

from .section import JsonSchema, Section

_LAYOUT = r"(replicate|shard\(-?\d{1,2}\))"
_ONE: JsonSchema = {"type": "string", "pattern": f"^{_LAYOUT}$"}
_ONE_OR_NONE: JsonSchema = {"anyOf": [_ONE, {"type": "null"}]}
_ONE_OR_SEVERAL: JsonSchema = {"anyOf": [_ONE, {"type": "array", "minItems": 1, "items": _ONE_OR_NONE}]}
_BY_NAME: JsonSchema = {"type": "object", "minProperties": 1, "additionalProperties": _ONE}


class Style(str, Enum):
    """What of a layer a rank has, or how the tensors that go in or come out are shared out."""

    COLWISE = "colwise"
    ROWWISE = "rowwise"
    SEQUENCE = "sequence"
    INPUT = "input"
    OUTPUT = "output"
    INPUT_OUTPUT = "input_output"


def _layout(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(_LAYOUT, value):
        return value
    raise ValueError("must be `replicate`, or `shard(1)` with a dimension of which each rank has a part")


def _layouts(value: Any) -> str | tuple[str | None, ...]:
    """One for a single tensor, or one for each of several, where null leaves it as it is."""
    if isinstance(value, list | tuple) and value:
        return tuple(None if each is None else _layout(each) for each in value)
    return _layout(value)


def _layouts_by_name(value: Any) -> dict[str, str]:
    if isinstance(value, dict) and value and all(isinstance(name, str) for name in value):
        return {name: _layout(each) for name, each in value.items()}
    raise ValueError("must be a mapping of arguments' names, written as `mask: replicate`")


Layouts = Annotated[str | tuple[str | None, ...], PlainValidator(_layouts), WithJsonSchema(_ONE_OR_SEVERAL)]
LayoutsByName = Annotated[dict[str, str], PlainValidator(_layouts_by_name), WithJsonSchema(_BY_NAME)]

_LAYER = ("input_layouts", "output_layouts", "use_local_output")
_INPUT = ("input_layouts", "desired_input_layouts", "input_kwarg_layouts", "desired_input_kwarg_layouts")
_OUTPUT = ("output_layouts", "desired_output_layouts", "use_local_output")

TAKES = {
    Style.COLWISE: _LAYER,
    Style.ROWWISE: _LAYER,
    Style.SEQUENCE: ("sequence_dim", "use_local_output"),
    Style.INPUT: (*_INPUT, "use_local_output"),
    Style.OUTPUT: _OUTPUT,
    Style.INPUT_OUTPUT: (*_INPUT, "use_local_input", *_OUTPUT),
}
"""What each style is told."""

NEEDS = {
    Style.INPUT: (("input_layouts",), ("input_kwarg_layouts",)),
    Style.OUTPUT: (("output_layouts",),),
    Style.INPUT_OUTPUT: (("input_layouts", "output_layouts"), ("input_kwarg_layouts", "output_layouts")),
}
"""Settings of which a style needs some, in one of several ways."""

CHANGES = (Style.INPUT, Style.OUTPUT, Style.INPUT_OUTPUT)
"""Those that share a tensor out in another way: how it comes, and as what it is desired."""


def _by_style(schema: dict[str, Any]) -> None:
    """The style alone; or with what it is told."""
    full = {**schema, "anyOf": [_settings(style, schema["properties"]) for style in Style]}
    short = {"enum": [style.value for style in Style if style not in NEEDS]}
    schema.clear()
    schema["anyOf"] = [full, short]


def _settings(style: Style, every: Any) -> JsonSchema:
    others = {name: {"type": "null"} for name in every if name not in ("style", *TAKES[style])}
    needed = [{"required": list(names)} for names in NEEDS.get(style, ())]
    pairs = {name: [f"desired_{name}"] for name in TAKES[style] if f"desired_{name}" in TAKES[style]}
    single = {name: _ONE_OR_NONE for name in TAKES[style] if "layouts" in name and style not in CHANGES}
    return {
        "properties": {"style": {"const": style.value}, **others, **single},
        "dependentRequired": pairs | {wanted: [name] for name, (wanted,) in pairs.items()},
        **({"anyOf": needed} if needed else {}),
    }


class LayerStyle(Section):
    """A style, and what torch's class is told: layouts of tensors are `replicate` and `shard(1)`."""

    model_config = ConfigDict(json_schema_extra=_by_style)

    style: Style
    """Columns or rows of a layer's weights; parts of a sequence; or what goes in or comes out is shared out anew."""
    input_layouts: Layouts | None = None
    """How what goes in is shared out: one for a single tensor, else a list, `[shard(1), null]`."""
    desired_input_layouts: Layouts | None = None
    """How the layer is to get it."""
    input_kwarg_layouts: LayoutsByName | None = None
    """The same for arguments by name, `{mask: replicate}`."""
    desired_input_kwarg_layouts: LayoutsByName | None = None
    """How the layer is to get them."""
    output_layouts: Layouts | None = None
    """How what comes out is shared out; of `colwise` and `rowwise`, how it is to be."""
    desired_output_layouts: Layouts | None = None
    """How the next layer is to get it."""
    sequence_dim: StrictInt | None = None
    """The dimension of the sequence, for `sequence`; unset, the second."""
    use_local_input: StrictBool | None = None
    """Turn off to have the layer get a DTensor, for `input_output`."""
    use_local_output: StrictBool | None = None
    """Turn on for a rank's own part as a plain tensor, off for a DTensor; unset, as torch's class has it."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return value if isinstance(value, dict | LayerStyle | None) else {"style": value}

    @model_validator(mode="after")
    def _told_what_it_takes(self) -> LayerStyle:
        for sentence in self._wrong():
            raise ValueError(sentence)
        return self

    def arguments(self) -> dict[str, Any]:
        """What is given of what torch's class takes."""
        return {name: value for name in TAKES[self.style] if (value := getattr(self, name)) is not None}

    def _wrong(self) -> Iterator[str]:
        """What is wrong with it, as the rest of a sentence."""
        name, takes, given = self.style.value, TAKES[self.style], self.arguments()
        for other in type(self).model_fields:
            if other not in ("style", *takes) and getattr(self, other) is not None:
                yield f"has `{other}`, which `{name}` does not take: it takes {_listed(takes)}"
        ways = NEEDS.get(self.style, ())
        if ways and not any(given.keys() >= set(way) for way in ways):
            yield f"needs {' or '.join(_listed(way) for way in ways)}, for `{name}`"
        for one, wanted in ((each, f"desired_{each}") for each in takes if f"desired_{each}" in takes):
            if _shape(given.get(one)) != _shape(given.get(wanted)):
                yield f"needs as many layouts in `{one}` as in `{wanted}`"
        if self.style not in CHANGES and any(isinstance(each, tuple) for each in given.values()):
            yield f"has several layouts, where one tensor goes through a layer that is `{name}`"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _shape(layouts: Any) -> Any:
    """How many there are, or for which names."""
    return (
        layouts.keys()
        if isinstance(layouts, dict)
        else len(layouts) if isinstance(layouts, tuple) else layouts is None
    )
