"""The functions of a script whose models are trained in loops of their own, by kinds."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..index.renaming import renamed
from ..ir.plans import DATA, MODEL, data_of_kind, model_of_kind
from ..ir.rewrites import EVALUATIONS
from ..ir.script import Script
from ..runtime.definitions import load_runtime
from ..source.names import free_name, global_names
from .rename import OWN

CALLED = ("fit", *EVALUATIONS)
"""Functions that the user's own main calls."""

LOOPS = ("validate", *CALLED)
"""Those that go through batches."""

MANY = 3
"""So many types are all named."""

Functions = Mapping[str, str]
"""Code, by names."""


class ByKind(NamedTuple):
    """A function that calls the one for a model's class."""

    name: str
    parameters: str
    returns: str
    summary: str
    checks: tuple[tuple[str, tuple[str, ...]], ...]
    functions: tuple[tuple[tuple[str, ...], str], ...]  # by the names of classes
    arguments: str


@dataclass(frozen=True)
class Kinds:
    """The functions of each kind."""

    scripts: tuple[Script, ...]
    checked: tuple[str, ...]  # classes of which a model has to be one, where that is not known
    written: tuple[Functions, ...]  # of each kind

    @cached_property
    def differing(self) -> frozenset[str]:
        """The functions that kinds have with other code, themselves or in what they call.

        Where a model's class is to be looked at, all that the main calls are theirs: what chooses among them looks.
        """
        names = {name: {each[name] for each in self.written if name in each} for name in self._all}
        is_called = frozenset(CALLED) if self.checked else frozenset[str]()
        found = frozenset(name for name, codes in names.items() if len(codes) > 1 or name in is_called)
        while more := self._calling(found) - found:
            found |= more
        return found

    @property
    def _all(self) -> list[str]:
        return list(dict.fromkeys(name for each in self.written for name in each))

    def _calling(self, names: frozenset[str]) -> frozenset[str]:
        codes = [(name, code) for each in self.written for name, code in each.items()]
        return frozenset(name for name, code in codes if names & global_names(code))

    @cached_property
    def names(self) -> tuple[dict[str, str], ...]:
        """What the functions that differ are called, kind by kind."""
        taken = {*OWN, *load_runtime().definitions}
        found = []
        for kind in self.scripts:
            suffix = _words(kind.kind)
            own = {name: free_name(f"{name}_{suffix}", taken) for name in sorted(self.differing)}
            taken.update(own.values())
            found.append(own)
        return tuple(found)

    @property
    def all_names(self) -> list[str]:
        """Those that functions have for their kinds."""
        return [own for names in self.names for own in names.values()]

    def functions(self, names: Container[str]) -> list[str]:
        """Those of the names: each that is alike once, and the others under their kinds' names."""
        found: dict[str, str] = {}
        for number, codes in enumerate(self.written):
            for name in (name for name in codes if name in names):
                found.setdefault(self.names[number].get(name, name), self._of_kind(number, name))
        return list(found.values())

    def _of_kind(self, number: int, name: str) -> str:
        """One of these, with the classes of what it is given."""
        code = self.written[number][name]
        if len(self.scripts) > 1:
            is_own = name in self.names[number]
            holders = (
                [number] if is_own else [each for each, codes in enumerate(self.written) if name in codes]
            )
            code = code.replace(
                MODEL, _one_of({self.scripts[each].model: model_of_kind(each) for each in holders})
            )
            code = code.replace(
                DATA, _one_of({self.scripts[each].data: data_of_kind(each) for each in holders})
            )
        return renamed(code, self.names[number]).strip("\n")

    @property
    def choosing(self) -> tuple[ByKind, ...]:
        """Functions for the main to call, in the place of several."""
        return tuple(self._by_kind(name) for name in self._all if name in self.differing and name in CALLED)

    def _by_kind(self, name: str) -> ByKind:
        holders = [number for number, codes in enumerate(self.written) if name in codes]
        functions = [_function(self.written[each][name]) for each in holders]
        function = functions[0]
        parameters, arguments = _handed_on(functions)
        models = {name for each in holders for name in self.scripts[each].models}
        return ByKind(
            name=name,
            parameters=parameters,
            returns=ast.unparse(function.returns) if function.returns else "None",
            summary=ast.get_docstring(function) or "Train a model by the loop for its class.",
            checks=(
                (("model", tuple(each for each in self.checked if each in models)),) if self.checked else ()
            ),
            functions=tuple((self.scripts[each].models, self.names[each][name]) for each in holders),
            arguments=arguments,
        )


def _handed_on(functions: list[ast.FunctionDef]) -> tuple[str, str]:
    """The parameters of what chooses among functions, and what it calls the chosen one with."""
    first, *rest = (ast.unparse(each.args) for each in functions)
    if any(each != first for each in rest):
        model = ast.unparse(functions[0].args.args[0])
        return f"{model}, *given: Any, **options: Any", "model, *given, **options"
    given = [each.arg for each in functions[0].args.args]
    given += [f"{each.arg}={each.arg}" for each in functions[0].args.kwonlyargs]
    return first, ", ".join(given)


def _function(code: str) -> ast.FunctionDef:
    (found,) = (each for each in ast.parse(code).body if isinstance(each, ast.FunctionDef))
    return found


def _one_of(types: Mapping[str | None, str]) -> str:
    """The type of what may be of one of several, by what they stand for."""
    return " | ".join(types.values()) if len(types) <= MANY and "Any" not in types else "Any"


def _words(name: str) -> str:
    """A class's name in small letters, its words apart."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).strip("_").lower()
