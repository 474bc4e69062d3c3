"""`with trainer.init_module():`, under which a model is made on the device that it is trained on."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Project
from ..trainer.precision import PrecisionFacts
from .own_main import OwnMain

NAME = "init_module"
DEVICE = "local_device(ranks_from_env())"
"""What is a context for the same: torch makes tensors there."""

WITHOUT_EFFECT = m.Arg(value=m.Name("None") | m.Name("False"))


def devices(project: Project, main: OwnMain) -> Iterator[tuple[cst.BaseExpression, str]]:
    """The calls, with the code that takes their place."""
    for node in main.attributes.get(NAME, ()):
        call = project.index.parent(node)
        if isinstance(call, cst.Call):
            yield call, DEVICE


def check_devices(
    project: Project, main: OwnMain, precision: PrecisionFacts, is_open: bool
) -> Iterator[Diagnostic]:
    """Calls that do more than to choose the device, which `is_open` where only a run knows it."""
    for call, _ in devices(project, main):
        arguments = cst.ensure_type(call, cst.Call).args
        if is_open or precision.converts:
            yield messages.made_elsewhere((project.source, call))
        for each in arguments:
            if not m.matches(each, WITHOUT_EFFECT):
                yield messages.made_empty((project.source, each))
