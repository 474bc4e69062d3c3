"""Constructor arguments: which become options of the script, and how `main` passes them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..project import Class, Project
from ..script import ConfigField, Construction
from ..spec import LoadedSpec
from .literals import code_of, literal

SIMPLE = (bool, int, float, str)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a constructor."""

    name: str
    node: cst.Param
    positional_only: bool

    @property
    def default(self) -> str | None:
        return code_of(self.node.default) if self.node.default else None

    @property
    def annotation(self) -> str:
        return code_of(self.node.annotation.annotation) if self.node.annotation else ""


def parameters(cls: Class) -> list[Parameter]:
    """The constructor's parameters, `self` and stars left out."""
    method = cls.methods.get("__init__")
    if method is None:
        return []
    first = [Parameter(node.name.value, node, True) for node in method.params.posonly_params]
    rest = [Parameter(node.name.value, node, False) for node in method.params.params]
    by_name = [Parameter(node.name.value, node, False) for node in method.params.kwonly_params]
    return [*[*first, *rest][1:], *by_name]


@dataclass
class ConstructionReader:
    """Decides on the arguments of one class; `section` is its part of the spec, `call` the entry's construction."""

    project: Project
    spec: LoadedSpec
    section: str
    cls: Class
    call: cst.Call | None
    problems: list[Diagnostic]

    def read(self, taken: set[str]) -> tuple[Construction, tuple[ConfigField, ...]]:
        """How the object is made, and the fields of Config that it takes, in addition to the options `taken`."""
        given = {**dict(self._from_entry()), **dict(self._from_spec())}
        arguments, fields = [], []
        for parameter in parameters(self.cls):
            code = given.get(parameter.name, parameter.default)
            if code is None:
                at = (self.project.source, parameter.node)
                self.problems.append(
                    messages.missing_argument(at, self.section, self.cls.name, parameter.name)
                )
                continue
            field = self._field(parameter, code, taken)
            if field is not None:
                fields.append(field)
                code = f"config.{field.name}"
            elif parameter.name not in given:
                continue  # the class's own default
            arguments.append(code if parameter.positional_only else f"{parameter.name}={code}")
        extra = [f"{name}={code}" for name, code in given.items() if name not in self._names]
        return Construction(self.cls.name, ", ".join([*arguments, *extra])), tuple(fields)

    @property
    def _names(self) -> set[str]:
        return {parameter.name for parameter in parameters(self.cls)}

    @property
    def _takes_any(self) -> bool:
        method = self.cls.methods.get("__init__")
        return method is None or method.params.star_kwarg is not None

    def _field(self, parameter: Parameter, code: str, taken: set[str]) -> ConfigField | None:
        try:
            value = literal(cst.parse_expression(code))
        except ValueError:
            return None
        if (
            type(value) not in SIMPLE
            or parameter.name.startswith("_")
            or (isinstance(value, float) and not math.isfinite(value))
        ):
            return None
        if parameter.annotation == "float" and type(value) is int:
            code = f"{code}.0"
            value = float(value)
        if "\n" in code:
            code = repr(value)
        name = parameter.name
        while _options(name, value) & taken:
            name = f"{self.section}_{name}"
        taken |= _options(name, value)
        return ConfigField(name, type(value).__name__, code)

    def _from_entry(self) -> Iterator[tuple[str, str]]:
        positional = parameters(self.cls)
        for index, argument in enumerate(self.call.args if self.call else ()):
            if not argument.keyword and index >= len(positional):
                at = (self.project.source, argument)
                self.problems.append(messages.too_many_arguments(at, self.cls.name))
            else:
                name = argument.keyword.value if argument.keyword else positional[index].name
                yield name, code_of(argument.value)

    def _from_spec(self) -> Iterator[tuple[str, str]]:
        section = getattr(self.spec.spec, self.section)
        arguments: Mapping[str, Any] = section.init_args if section else {}
        for name, value in arguments.items():
            if name not in self._names and not self._takes_any:
                place = self.spec.key_place(f"{self.section}.init_args.{name}")
                known = [parameter.name for parameter in parameters(self.cls)]
                self.problems.append(messages.unknown_init_argument(place, self.cls.name, name, known))
            else:
                yield name, value_code(value)


def _options(name: str, default: object) -> set[str]:
    """The options of the command line that a field becomes: a flag can also be turned off."""
    return {name, f"no_{name}"} if isinstance(default, bool) else {name}


def value_code(value: Any) -> str:
    """A plain value as an expression."""
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, list):
        return f"[{', '.join(map(value_code, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{value_code(key)}: {value_code(item)}" for key, item in value.items()) + "}"
    return repr(value)
