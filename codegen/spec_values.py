"""The spec's values as expressions: plain ones, and objects that `class_path` and `init_args` describe."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

OBJECT_KEYS = {"class_path", "init_args", "dict_kwargs"}


def is_object(value: Any) -> bool:
    """Whether a value of the spec describes an object."""
    return isinstance(value, Mapping) and "class_path" in value and value.keys() <= OBJECT_KEYS


def arguments_of(value: Mapping[str, Any]) -> dict[str, Any]:
    """What the object's constructor is given."""
    return {**(value.get("init_args") or {}), **(value.get("dict_kwargs") or {})}


def class_paths(value: Any) -> Iterator[str]:
    """The classes that a value of the spec names, however deep."""
    if is_object(value):
        yield str(value["class_path"])
    children = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for child in children:
        yield from class_paths(child)


def expression(value: Any, name_of: Callable[[str], str]) -> str:
    """The value as code; `name_of` gives the name of the class at a path."""

    def inner(value: Any) -> str:
        return expression(value, name_of)

    if is_object(value):
        arguments = (f"{name}={inner(item)}" for name, item in arguments_of(value).items())
        return f"{name_of(str(value['class_path']))}({', '.join(arguments)})"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, list):
        return f"[{', '.join(map(inner, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{inner(key)}: {inner(item)}" for key, item in value.items()) + "}"
    return repr(value)
