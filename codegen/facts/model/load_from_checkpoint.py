"""Uses of `load_from_checkpoint`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import BASES, Project
from ...values import values_of

LOADING = "load_from_checkpoint"
PARAMETERS = ("checkpoint_path", "map_location", "hparams_file")


def names_loading(project: Project) -> bool:
    """Whether the code asks something for its `load_from_checkpoint`."""
    named = (
        m.Attribute(attr=m.Name(LOADING)) | m.SimpleString(f'"{LOADING}"') | m.SimpleString(f"'{LOADING}'")
    )
    index = project.index
    return any(m.matches(each, named) for each in index.of_kind(cst.Attribute, cst.SimpleString))


def check_loading(project: Project, nodes: list[cst.BaseStatement]) -> Iterator[Diagnostic]:
    """Calls that ask for a file of hyperparameters."""
    values, index = values_of(project), project.index
    for call in values.calls_of(*(f"{kind}.{LOADING}" for kind in BASES)):
        given = values.arguments(call, PARAMETERS).get("hparams_file")
        if given and given.values.without_none.values and any(index.holds(node, call) for node in nodes):
            yield messages.hparams_file((project.source, given.expression or call))
