"""Objects that the spec describes, made as LightningCLI makes them."""

from __future__ import annotations

import importlib
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from .job import Made

SPEC = "spec"
"""The name of the module that the code is run as."""


@dataclass(frozen=True)
class Described:
    """What the Trainer is told, and what takes the place of the model's method."""

    told: dict[str, Any]
    configure_optimizers: Callable[..., Any] | None


@cache
def described(lightning: ModuleType, code: str) -> Described:
    """What `code`, which the build has made of the spec, describes; each object is made once."""
    told: dict[str, Any] = {}
    names: dict[str, Any] = {"__name__": SPEC}
    with patch.object(lightning, "Trainer", told.update):
        exec(compile(code.replace("lightning.pytorch", lightning.__name__), f"<{SPEC}>", "exec"), names)
    # the one class that the code defines holds the method
    holders = (each for each in names.values() if getattr(each, "__module__", None) == SPEC)
    return Described(told, next((each.configure_optimizers for each in holders), None))


def made_object(module: ModuleType, made: Made) -> Any:
    """The object of one of the user's classes."""
    cls = _class(module, made["name"])
    return cls(*made["positional"], **_arguments(module, cls, made["keywords"]))


def _arguments(module: ModuleType, cls: Any, values: dict[str, Any]) -> dict[str, Any]:
    try:
        hints = typing.get_type_hints(cls.__init__)
    except Exception:  # an annotation may be anything
        hints = {}
    return {name: _typed(_value(module, value), hints.get(name)) for name, value in values.items()}


def _value(module: ModuleType, value: Any) -> Any:
    """Objects within arguments, as LightningCLI's files describe them."""
    if isinstance(value, list | tuple):
        return [_value(module, each) for each in value]
    if isinstance(value, dict) and "class_path" in value:
        cls = _class(module, value["class_path"])
        given = {**(value.get("init_args") or {}), **(value.get("dict_kwargs") or {})}
        return cls(**_arguments(module, cls, given))
    return value


def _typed(value: Any, hint: Any) -> Any:
    """A plain value as what a parameter asks for, as far as it makes a difference to a script."""
    kinds = [kind for kind in (typing.get_args(hint) or (hint,)) if kind is not type(None)]
    kind = typing.get_origin(hint) if typing.get_origin(hint) in (tuple, set, frozenset) else kinds[0]
    if isinstance(value, list) and kind in (tuple, set, frozenset):
        return kind(value)
    if not isinstance(value, str) or not isinstance(kind, type):
        return value
    if issubclass(kind, Enum):
        return kind[value]
    if issubclass(kind, timedelta):
        hours, minutes, seconds = map(float, value.split(":"))
        return timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return Path(value) if issubclass(kind, Path) else value


def _class(module: ModuleType, path: str) -> Any:
    """In the user's file, in one of those that it imports, or where the path says."""
    package, _, name = path.rpartition(".")
    if package and name not in vars(module):
        return getattr(importlib.import_module(package), name)
    modules = [module, *sys.modules.values()]
    return next(vars(each)[name] for each in modules if isinstance(vars(each).get(name), type))
