"""The spec's `microbatch`: how batches go through the model in parts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, StrictInt, StrictStr, WithJsonSchema, model_validator

from .section import CLASS_PATH, JsonSchema, Section, check_function_path

_SIZE: JsonSchema = {"type": "integer", "minimum": 1}


def _with_short_form(schema: dict[str, Any]) -> None:
    """A size alone."""
    full = dict(schema)
    schema.clear()
    schema["anyOf"] = [full, _SIZE]


class MicrobatchSettings(Section):
    """How many samples go through the model at once, and what splits a batch."""

    model_config = ConfigDict(json_schema_extra=_with_short_form)

    size: Annotated[StrictInt, Field(ge=1)]
    """Samples at most; `--microbatch-size` of the script wins."""
    split: Annotated[StrictStr, AfterValidator(check_function_path), WithJsonSchema(CLASS_PATH)] | None = None
    """The path of a function of your own: `split(batch, size)` gives pairs of a part and its weight."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"size": value} if isinstance(value, int) and not isinstance(value, bool) else value
