"""Constructor arguments: which become options of the script, and how `main` passes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.plans import ConfigField, Construction
from ...ir.project import Class, Project
from ...spec.init_args.values import Linked, Wrong, links_in, typed
from ...spec.load import LoadedSpec
from ..code.literals import code_of, literal
from ..code.parameters import Parameter, parameters
from .spec_objects import SpecNames

SIMPLE = (bool, int, float, str)
REQUIRABLE = ("int", "float", "str")
"""Types of which an option may have to be given."""


@dataclass
class ConstructionReader:
    """Decides on the arguments of one class; `section` is its part of the spec, `call` the entry's construction."""

    project: Project
    spec: LoadedSpec
    section: str
    cls: Class
    call: cst.Call | None
    problems: list[Diagnostic]
    passed: Mapping[tuple[str, ...], str] = field(default_factory=dict)  # what is given elsewhere, by its key
    codes: dict[str, str] = field(default_factory=dict)  # of the arguments that are known
    passes: dict[tuple[str, ...], str] = field(default_factory=dict)  # what each is given

    def read(self, taken: set[str]) -> tuple[Construction, tuple[ConfigField, ...]]:
        """How the object is made, and the fields of Config that it takes, in addition to the options `taken`."""
        names = SpecNames(self.project, self.passed)
        given = {**dict(self._from_entry()), **dict(self._from_spec(names))}
        arguments: list[str] = []
        fields: list[ConfigField] = []
        missing: list[Parameter] = []
        for parameter in parameters(self.cls):
            code = given.get(parameter.name, parameter.default)
            is_known = code is not None and not self._is_made_of_objects(parameter.name)
            self.codes |= {parameter.name: str(code)} if is_known else {}
            if code is None and parameter.annotation not in REQUIRABLE:
                missing.append(parameter)
                continue
            option = self._required(parameter, taken) if code is None else self._field(parameter, code, taken)
            self.passes[self.section, parameter.name] = f"config.{option.name}" if option else f"{code}"
            if option is None and parameter.name not in given:
                continue  # the class's own default
            fields += [option] if option else []
            passed = f"config.{option.name}" if option else given[parameter.name]
            arguments.append(passed if parameter.positional_only else f"{parameter.name}={passed}")
        self._tell_missing(missing)
        extra = [f"{name}={code}" for name, code in given.items() if name not in self._names]
        made = Construction(self.cls.name, ", ".join([*arguments, *extra]), tuple(names.imports))
        return made, tuple(fields)

    def _is_made_of_objects(self, name: str) -> bool:
        value = getattr(self.spec.spec, self.section).init_args.get(name)
        return isinstance(value, Linked) and value.is_of_objects

    def _tell_missing(self, missing: list[Parameter]) -> None:
        if missing:
            at, names = (self.project.source, missing[0].node), [each.name for each in missing]
            is_of_cli = self.project.entry.cli is not None
            said = messages.missing_argument(at, self.section, self.cls.name, names, is_of_cli)
            self.problems.append(said)

    @property
    def _names(self) -> set[str]:
        return {parameter.name for parameter in parameters(self.cls)}

    @property
    def _takes_any(self) -> bool:
        method = self.cls.methods.get("__init__")
        return method is None or method.params.star_kwarg is not None

    def _required(self, parameter: Parameter, taken: set[str]) -> ConfigField:
        return ConfigField(self._option(parameter.name, "", taken), parameter.annotation, None)

    def _option(self, name: str, value: object, taken: set[str]) -> str:
        """A name for the option that no other option has."""
        while _options(name, value) & taken:
            name = f"{self.section}_{name}"
        taken |= _options(name, value)
        return name

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
        return ConfigField(self._option(parameter.name, value, taken), type(value).__name__, code)

    def _from_entry(self) -> Iterator[tuple[str, str]]:
        positional = parameters(self.cls)
        for index, argument in enumerate(self.call.args if self.call else ()):
            if not argument.keyword and index >= len(positional):
                at = (self.project.source, argument)
                self.problems.append(messages.too_many_arguments(at, self.cls.name))
            else:
                name = argument.keyword.value if argument.keyword else positional[index].name
                yield name, code_of(argument.value)

    def _from_spec(self, names: SpecNames) -> Iterator[tuple[str, str]]:
        section = getattr(self.spec.spec, self.section)
        arguments: Mapping[str, Any] = section.init_args if section else {}
        for name, value in arguments.items():
            if name not in self._names and not self._takes_any:
                place = self.spec.key_place(f"{self.section}.init_args.{name}")
                known = [parameter.name for parameter in parameters(self.cls)]
                self.problems.append(messages.unknown_init_argument(place, self.cls.name, name, known))
            else:
                yield name, self._typed(name, value, names)

    def _typed(self, name: str, value: Any, names: SpecNames) -> str:
        try:
            return typed(name, value, names.parameter(self.cls, name), names)
        except Wrong as wrong:
            place = self.spec.place(".".join((self.section, "init_args", name, *wrong.below)))
            self.problems.append(wrong.say(place))
            return "None"


Wanted = tuple[str, Class | None, "cst.Call | None"]


def constructions(
    project: Project,
    spec: LoadedSpec,
    wanted: Iterable[Wanted],
    taken: set[str],
    problems: list[Diagnostic],
    passed: Mapping[tuple[str, ...], str],
) -> list[tuple[ConstructionReader, Construction, tuple[ConfigField, ...]]]:
    """How objects are made, in this order; `passed` is what other settings are, which arguments may be linked to."""
    given = [(section, cls, call) for section, cls, call in wanted if cls]
    if any(any(links_in(getattr(spec.spec, section).init_args)) for section, _, _ in given):
        tried, passed = set(taken), dict(passed)
        for section, cls, call in given:
            reader = ConstructionReader(project, spec, section, cls, call, [])
            reader.read(tried)
            passed |= reader.passes
    readers = [ConstructionReader(project, spec, *each, problems, passed) for each in given]
    return [(reader, *reader.read(taken)) for reader in readers]


def in_order(spec: LoadedSpec, wanted: list[Wanted]) -> list[Wanted]:
    """What is linked to an object is made after it."""
    of_model = (each for each in links_in(spec.spec.model.init_args) if each.is_of_objects)
    needs_data = any(source.key[0] == "data" for each in of_model for source in each.sources)
    return wanted[::-1] if needs_data else wanted


def _options(name: str, default: object) -> set[str]:
    """The options of the command line that a field becomes: a flag can also be turned off."""
    return {name, f"no_{name}"} if isinstance(default, bool) else {name}
