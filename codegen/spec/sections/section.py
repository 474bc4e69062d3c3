"""What the parts of a spec have in common: frozen, no unknown keys, sentences for pydantic's errors."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, TypeGuard

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictStr,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

JsonSchema = dict[str, Any]

FINITE = {"minimum": -1e300, "maximum": 1e300}
"""In JSON Schema, what `is_number` says."""

_REQUIREMENTS = {
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping, written as `name: value`",
    "enum": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "int_type": "must be a whole number",
    "mapping_type": "must be a mapping, written as `name: value`",
    "missing": "is missing",
    "model_type": "must be a mapping, written as `name: value`",
    "string_type": "must be a string",
    "tuple_type": "must be a list",
    "value_error": "{error}",
}


class Section(BaseModel):
    """One mapping of the spec; null stands for the default, as an argument left out does."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    null_is_a_value: ClassVar[frozenset[str]] = frozenset()

    @field_validator("*", mode="before")
    @classmethod
    def _null_is_the_default(cls, value: Any, info: ValidationInfo) -> Any:
        name = info.field_name
        if value is not None or name is None or name in cls.null_is_a_value:
            return value
        return cls.model_fields[name].get_default(call_default_factory=True)


def or_forms(*forms: JsonSchema) -> Callable[[dict[str, Any]], None]:
    """What has a section's schema take shorter forms too."""

    def extend(schema: dict[str, Any]) -> None:
        full = dict(schema)
        schema.clear()
        schema["anyOf"] = [full, *forms]

    return extend


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether `value` is a number, true and false are none, that a float can hold."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e300 < value < 1e300


def requirement(error: ErrorDetails) -> str:
    """What a value has to be, as the rest of a sentence that starts with its name."""
    template = _REQUIREMENTS.get(error["type"])
    if template is None:
        return f"is not valid: {error['msg']}"
    sentence = template.format_map(error.get("ctx", {}))
    return sentence.replace("'", "`") if error["type"] == "enum" else sentence


# ---- objects of classes ------------------------------------------------------------------------------------


def _identifier(name: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError("must be a Python name")
    return name


def check_class_path(path: str) -> str:
    for part in path.split("."):
        if not part.isidentifier() or keyword.iskeyword(part):
            raise ValueError("must be a class's name, such as `Model` or `package.models.Model`")
    return path


def check_function_path(path: str) -> str:
    if any(not part.isidentifier() or keyword.iskeyword(part) for part in path.split(".")):
        raise ValueError("must be the path of a function, such as `my_project.batches.split`")
    return path


# no punctuation of ASCII's, which is how both Python and JavaScript can say it
_NAME = r"[^\d\s!-/:-@\[-^`{-~][^\s!-/:-@\[-^`{-~]*"
NAMES: JsonSchema = {"pattern": f"^{_NAME}$", "not": {"enum": keyword.kwlist}}
CLASS_PATH: JsonSchema = {
    "type": "string",
    "pattern": rf"^(?!(.*\.)?({'|'.join(keyword.kwlist)})(\.|$)){_NAME}(\.{_NAME})*$",
}
INIT_ARGS: JsonSchema = {"type": "object", "propertyNames": NAMES}
Arguments = Annotated[
    Mapping[Annotated[StrictStr, AfterValidator(_identifier)], Any], WithJsonSchema(INIT_ARGS)
]


OBJECT: JsonSchema = {
    "anyOf": [
        CLASS_PATH,
        {
            "type": "object",
            "properties": {
                "class_path": CLASS_PATH,
                "init_args": {"anyOf": [INIT_ARGS, {"type": "null"}]},
                "dict_kwargs": {"anyOf": [INIT_ARGS, {"type": "null"}]},
            },
            "required": ["class_path"],
            "additionalProperties": False,
        },
    ]
}


class ObjectSettings(Section):
    """An object of a class, such as a callback."""

    class_path: Annotated[StrictStr, AfterValidator(check_class_path)]
    """Its class: `package.module.Class`, or a name alone of Lightning's."""
    init_args: Arguments = Field(default_factory=dict)
    """Values for its constructor."""
    dict_kwargs: Arguments = Field(default_factory=dict)
    """More of them, for a constructor that takes any."""

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"class_path": value} if isinstance(value, str) else value
