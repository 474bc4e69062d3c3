"""The file's functions and classes that are given the model, and so may log or read what it has of Lightning's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ..index import patterns as m
from ..ir.project import Class, Project
from .bindings import assignments

Expression = m.Pattern


@dataclass(frozen=True)
class Receiver:
    """A function in which an expression stands for the object that was given."""

    name: str  # that no method has
    function: cst.FunctionDef
    known_as: Expression
    is_run: bool  # by the call that gives it the object, not at some other time


def receivers(project: Project, call: cst.Call, known_as: Expression) -> Iterator[Receiver]:
    """The functions and methods of the file's that a call hands the object to."""
    given = [(index, arg.keyword) for index, arg in enumerate(call.args) if m.matches(arg.value, known_as)]
    if not given:
        return
    cls = _class_made(project, call)
    function = cls.methods.get("__init__") if cls else _function(project, call.func)
    for index, keyword in given if function else ():
        assert function is not None
        parameter = _parameter(function, index + (cls is not None), keyword)
        if parameter is not None:
            yield Receiver(
                f"{cls.name if cls else function.name.value}()", function, m.Name(parameter), is_run=True
            )
            yield from _keepers(cls, function, parameter) if cls else ()


def _class_made(project: Project, call: cst.Call) -> Class | None:
    return project.classes.get(call.func.value) if isinstance(call.func, cst.Name) else None


def _function(project: Project, called: cst.BaseExpression) -> cst.FunctionDef | None:
    """A function of the file's, or of a class that is named with it."""
    if isinstance(called, cst.Attribute) and isinstance(called.value, cst.Name):
        cls = project.classes.get(called.value.value)
        return cls.methods.get(called.attr.value) if cls else None
    if not isinstance(called, cst.Name):
        return None
    nodes = [statement.node for statement in project.statements if called.value in statement.names]
    return next((node for node in nodes if isinstance(node, cst.FunctionDef)), None)


def _parameter(function: cst.FunctionDef, index: int, keyword: cst.Name | None) -> str | None:
    parameters = [*function.params.posonly_params, *function.params.params]
    if keyword is not None:
        return keyword.value
    return parameters[index].name.value if index < len(parameters) else None


def _keepers(cls: Class, init: cst.FunctionDef, parameter: str) -> Iterator[Receiver]:
    """The methods of an object that keeps what its constructor was given."""
    for target, value in assignments(init):
        if isinstance(target, cst.Attribute) and m.matches(value, m.Name(parameter)):
            kept = m.Attribute(value=m.Name("self"), attr=m.Name(target.attr.value))
            for name, method in cls.methods.items():
                yield Receiver(f"{cls.name}.{name}", method, kept, is_run=False)
