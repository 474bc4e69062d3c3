"""The spec's `microbatch`: how batches go through the model in parts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, PlainValidator, StrictStr, WithJsonSchema, model_validator

from .section import CLASS_PATH, JsonSchema, Section, check_function_path, or_forms

AUTO = "auto"
"""The size for which there is memory."""

_SIZE: JsonSchema = {"anyOf": [{"type": "integer", "minimum": 1}, {"const": AUTO}]}


def _size(value: Any) -> int | str:
    if value == AUTO or (type(value) is int and value > 0):
        return value  # type: ignore[no-any-return]  # one of the two
    raise ValueError("must be `auto`, or a number of samples, 1 or more")


class MicrobatchSettings(Section):
    """How many samples go through the model at once, and what splits a batch."""

    model_config = ConfigDict(json_schema_extra=or_forms(*_SIZE["anyOf"]))

    size: Annotated[int | str, PlainValidator(_size), WithJsonSchema(_SIZE)]
    """Samples at most, where `--microbatch-size` of the script wins; or `auto`, for as many as there is memory for."""
    split: Annotated[StrictStr, AfterValidator(check_function_path), WithJsonSchema(CLASS_PATH)] | None = None
    """The path of a function of your own: `split(batch, size)` gives pairs of a part and its weight."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return value if isinstance(value, dict | MicrobatchSettings | None) else {"size": value}

    @model_validator(mode="after")
    def _split_by_rows(self) -> MicrobatchSettings:
        if self.size == AUTO and self.split:
            raise ValueError(
                "must have a number as `size`: only rows of tensors can be halved without your `split`"
            )
        return self
