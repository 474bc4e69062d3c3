"""Attributes of the model's that make its optimizer and its scheduler, where it is known of which class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import libcst as cst

from ..ir.project import Class, Project
from ..spec.load import LoadedSpec
from ..spec.values import described_class
from .bindings import bindings
from .literals import code_of
from .objects import SpecNames
from .parameters import parameters
from .resolve import Scope, values_held


def factories(project: Project, cls: Class, names: Iterable[str], loaded: LoadedSpec) -> Mapping[str, str]:
    """The paths of the classes, by the attributes as code, such as `self.optimizer`; `names` are all of its own.

    They are arguments of the constructor, as the spec has them, or by default.
    """
    method = cls.methods.get("__init__")
    if method is None or project.entry.model is not None:
        return {}
    scope, paths = Scope(project, method, cls), dict(_known(project, cls, loaded))
    found = _held(scope, names, paths) if scope.self_name else ()
    return {f"self.{name}": path for name, path in found}


def _known(project: Project, cls: Class, loaded: LoadedSpec) -> Iterator[tuple[str, str]]:
    """Arguments that make objects of a class of torch's, with its path."""
    given, names = loaded.spec.model.init_args, SpecNames(project)
    for name in (each.name for each in parameters(cls)):
        parameter = names.parameter(cls, name)
        by_default = parameter.described.path if parameter.described else ""
        path = described_class(given[name]) if name in given else by_default
        if path.startswith("torch.optim.") and "Callable" in parameter.written:
            yield name, path


def _held(scope: Scope, names: Iterable[str], paths: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Attributes that hold nothing but one of the arguments, from the constructor on."""
    for name in names:
        held = list(values_held(scope, cst.Attribute(cst.Name(scope.self_name), cst.Name(name))))
        codes = [code_of(value) for place, value in held if value and place.function is scope.function]
        if len(held) == len(codes) == 1 and codes[0] in paths and _is_only_a_parameter(scope, codes[0]):
            yield name, paths[codes[0]]


def _is_only_a_parameter(scope: Scope, name: str) -> bool:
    return len(list(bindings(scope.function, cst.Name(name)))) == 1
