"""Uses of `load_from_checkpoint`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..index import patterns as m
from ..index.search import findall
from ..ir.project import Project
from .main_names import calls_on

LOADING = "load_from_checkpoint"
HPARAMS_FILE = m.Arg(keyword=m.Name("hparams_file"))


def names_loading(project: Project) -> bool:
    """Whether the code asks something for its `load_from_checkpoint`."""
    named = (
        m.Attribute(attr=m.Name(LOADING)) | m.SimpleString(f'"{LOADING}"') | m.SimpleString(f"'{LOADING}'")
    )
    return bool(findall(project.source.module, named))


def check_loading(project: Project, nodes: list[cst.BaseStatement]) -> Iterator[Diagnostic]:
    """Calls that ask for a file of hyperparameters."""
    for call, _ in calls_on(LOADING, nodes):
        by_place = [argument for argument in call.args if not argument.keyword and not argument.star]
        named = [argument for argument in call.args if m.matches(argument, HPARAMS_FILE)]
        for argument in (*by_place[2:3], *named):
            if not m.matches(argument.value, m.Name("None")):
                yield messages.hparams_file((project.source, argument))
