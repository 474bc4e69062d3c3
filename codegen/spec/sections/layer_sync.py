"""The spec's `layer_sync`: layers that work over the batches of several ranks."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, StrictInt, StrictStr, WithJsonSchema, model_validator

from .section import CLASS_PATH, Section, check_function_path

BATCH_NORM = "batchnorm"


def _with_short_form(schema: dict[str, Any]) -> None:
    """Batch norm over all ranks; else one of the two settings."""
    own = {"type": "string"}
    both = {
        "properties": {"group_size": {"type": "integer"}, "class_path": own},
        "required": [*schema["properties"]],
    }
    full = {**schema, "not": both}
    schema.clear()
    schema["anyOf"] = [full, {"const": BATCH_NORM}]


class LayerSyncSettings(Section):
    """Which layers are converted before the model is wrapped, and which ranks they work over."""

    model_config = ConfigDict(json_schema_extra=_with_short_form)

    group_size: Annotated[StrictInt, Field(ge=1)] | None = None
    """Ranks with successive numbers over which batch norm is; unset, all of them."""
    class_path: (
        Annotated[StrictStr, AfterValidator(check_function_path), WithJsonSchema(CLASS_PATH)] | None
    ) = None
    """The path of a function of your own, which is given the model and converts layers of other kinds in place."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {} if value == BATCH_NORM else value

    @model_validator(mode="after")
    def _of_one_kind(self) -> LayerSyncSettings:
        if self.group_size and self.class_path:
            raise ValueError("must have no `group_size`: your function makes groups for its layers itself")
        return self
