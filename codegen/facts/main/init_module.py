"""`with trainer.init_module():`, under which a model is made on the device that it is trained on."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project
from ..code.literals import code_of
from ..trainer.precision import PrecisionFacts
from .own_main import OwnMain

NAME = "init_module"
DEVICE = "local_device(ranks_from_env())"
"""What is a context for the same: torch makes tensors there."""

TOLD_DEVICE = "local_device(ranks_from_env(), kind_of({}))"
"""The same, where only a run knows which kind of device a trainer is told."""

EMPTY = m.Arg(value=m.Name("True"))
WITHOUT_EFFECT = m.Arg(value=m.Name("None") | m.Name("False"))


def contexts(
    project: Project, main: OwnMain, precision: PrecisionFacts, told: str
) -> Iterator[tuple[cst.BaseExpression, str]]:
    """The calls, with the code that takes their place.

    `told` is what the trainer is asked for the kind of its device, such as `.config.accelerator`, where only a run
    knows that.
    """
    for call in _calls(project, main):
        code = TOLD_DEVICE.format(f"{code_of(_trainer(call))}{told}") if told else DEVICE
        code = f"made_unfilled({code})" if any(m.matches(each, EMPTY) for each in call.args) else code
        yield call, f"made_of_dtype({code}, {precision.dtype})" if precision.converts else code


def check_contexts(
    project: Project, main: OwnMain, precision: PrecisionFacts, is_sharded: bool
) -> Iterator[Diagnostic]:
    """Calls of which only a run knows of what type tensors are, or what shards fill."""
    for call in _calls(project, main):
        if precision.converts and (is_sharded or not precision.only):
            yield messages.made_elsewhere((project.source, call))
        for each in call.args:
            is_empty = m.matches(each, EMPTY) and not is_sharded
            if not (is_empty or m.matches(each, WITHOUT_EFFECT)):
                yield messages.made_empty((project.source, each))


def _trainer(call: cst.Call) -> cst.BaseExpression:
    return cst.ensure_type(call.func, cst.Attribute).value


def _calls(project: Project, main: OwnMain) -> Iterator[cst.Call]:
    found = (project.index.parent(node) for node in main.attributes.get(NAME, ()))
    return (each for each in found if isinstance(each, cst.Call))
