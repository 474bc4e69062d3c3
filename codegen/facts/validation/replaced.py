"""Where code puts a function in the place of the method by which Lightning's loop says that validation is due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ..code.literals import code_of
from .due import BUILTINS, Due, due

METHOD = "_should_check_val_fx"
CLASS = "_TrainingEpochLoop"

LOOP = m.Attribute(m.Attribute(attr=m.Name("fit_loop")), m.Name("epoch_loop"))
REPLACED = m.Assign([m.AssignTarget(m.Attribute(attr=m.Name(METHOD)))])
BOUND = m.Call(args=[m.Arg(m.Name(), keyword=None, star=""), m.Arg(keyword=None, star="")])
GOT = m.Call(m.Attribute(m.Name(), m.Name("__get__")), [m.Arg(keyword=None, star=""), m.ZeroOrMore(m.Arg())])
TIME = "time"
BINDING = frozenset({"types.MethodType", "functools.partial"})


@dataclass(frozen=True)
class ReplacedCheck:
    """An assignment to the method's name, of a loop or of the loops' class."""

    node: cst.Assign
    function: str  # the name of what is put there; empty: it has none
    due: Due | None  # what that does; None: it is not read
    trainer: cst.BaseExpression | None  # whose loop it is; None: that of all

    @property
    def by_steps(self) -> bool:
        return self.due is not None and self.due.by_steps


def replaced_check(project: Project, node: cst.Assign) -> ReplacedCheck | None:
    """What an assignment puts in the method's place; None: it is none of that."""
    return _replaced_check(project, node) if m.matches(node, REPLACED) else None


@lru_cache(maxsize=64)
def _replaced_check(project: Project, node: cst.Assign) -> ReplacedCheck | None:
    owner = cst.ensure_type(node.targets[0].target, cst.Attribute).value
    is_loop = m.matches(owner, LOOP)
    if not is_loop and project.lightning_name(owner) != CLASS:
        return None
    named = _function_of_loop(project, node.value, owner) if is_loop else node.value
    function = _defined(project, named) if isinstance(named, cst.Name) else None
    trainer = (
        cst.ensure_type(cst.ensure_type(owner, cst.Attribute).value, cst.Attribute).value if is_loop else None
    )
    name = function.name.value if function else ""
    return ReplacedCheck(node, name, _due(project, function) if function else None, trainer)


def _function_of_loop(
    project: Project, value: cst.BaseExpression, loop: cst.BaseExpression
) -> cst.BaseExpression | None:
    """The function that becomes a method of the same loop."""
    if not isinstance(value, cst.Call):
        return None
    if m.matches(value, GOT):
        function, bound = cst.ensure_type(value.func, cst.Attribute).value, value.args[0].value
    elif m.matches(value, BOUND) and project.called(value) in BINDING:
        function, bound = (each.value for each in value.args)
    else:
        return None
    return function if bound.deep_equals(loop) else None


def _defined(project: Project, name: cst.Name) -> cst.FunctionDef | None:
    """The one function that a name stands for."""
    bindings = project.index.bindings(name)
    function = bindings[0].by if len(bindings) == 1 else None
    is_plain = isinstance(function, cst.FunctionDef) and not function.asynchronous
    return function if is_plain and isinstance(function, cst.FunctionDef) else None


def _due(project: Project, function: cst.FunctionDef) -> Due | None:
    return due(code_of(function), dict(_meanings(project, function)))


def _meanings(project: Project, function: cst.FunctionDef) -> Iterator[tuple[str, str]]:
    """What names stand for that the function has from elsewhere."""
    index = project.index
    for node in index.references(function):
        if lightnings := project.lightning_name(node):
            yield code_of(node), lightnings
    for name in index.within(function, cst.Name):
        variable = index.variable(name)
        if variable is None or variable.scope.is_function:
            continue
        if (name.value in BUILTINS and not variable.bindings) or project.qualified(name) == TIME:
            yield name.value, name.value if name.value in BUILTINS else TIME
