"""What a main has others make: hydra's `instantiate`, a class method that takes a namespace, a `partial`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..ir.project import Project
from .literals import code_of
from .main_names import Names, assigned, calls_on, grouped, name_of, nodes_of


def made_elsewhere(project: Project) -> Iterator[Diagnostic]:
    """The trainer, the model and the data, where it cannot be read what they are."""
    nodes = [statement.node for statement in project.statements]
    names = grouped(assigned(nodes))
    yield from _derived_trainers(project, nodes)
    fits = list(calls_on("fit", nodes))
    for call in _instantiated([holder for _, holder in fits], names):
        yield messages.trainer_made_elsewhere((project.source, call), "instantiate")
    for value in (each for values in names.values() for each in values):
        if _calls(value, "from_argparse_args"):
            yield messages.trainer_made_elsewhere((project.source, value), "from_argparse_args")
        if _is_partial_trainer(project, value):
            yield messages.trainer_made_elsewhere((project.source, value), "partial")
    for call in _instantiated([argument.value for fit, _ in fits for argument in _trained(fit)], names):
        # it would be of the original class, not of the script's
        yield messages.instantiated((project.source, call))


def _derived_trainers(project: Project, nodes: Iterable[cst.CSTNode]) -> Iterator[Diagnostic]:
    """Objects of the user's classes that derive from Lightning's Trainer."""
    for call in nodes_of(cst.Call, nodes):
        cls = project.classes.get(code_of(call.func))
        bases = [base.value for part in cls.lineage for base in part.node.bases] if cls else []
        if cls and any(project.lightning_name(base) == "Trainer" for base in bases):
            yield messages.trainer_derived((project.source, call.func), cls.name)


def _is_partial_trainer(project: Project, value: cst.BaseExpression) -> bool:
    first = value.args[:1] if isinstance(value, cst.Call) and _calls(value, "partial") else ()
    return any(project.lightning_name(argument.value) == "Trainer" for argument in first)


def _trained(fit: cst.Call) -> Iterator[cst.Arg]:
    """The model and the data module that a call of `fit` is given."""
    for index, argument in enumerate(fit.args):
        if argument.keyword.value in ("model", "datamodule") if argument.keyword else index == 0:
            yield argument


def _instantiated(values: Iterable[cst.BaseExpression], names: Names) -> Iterable[cst.BaseExpression]:
    """The calls of `instantiate` that values are made by, each once."""
    made = [each for value in values for each in (value, *names.get(name_of(value), ()))]
    return dict.fromkeys(each for each in made if _calls(each, "instantiate"))


def _calls(value: cst.BaseExpression, name: str) -> bool:
    return isinstance(value, cst.Call) and code_of(value.func).rpartition(".")[2] == name
