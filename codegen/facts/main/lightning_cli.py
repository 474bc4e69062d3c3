"""What LightningCLI is told that the script would miss, and what the code does with it beside."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...values import values_of
from .entry import read_entry

OF_LIGHTNING = {"trainer_class": "Trainer", "parser_class": "LightningArgumentParser"}
"""Arguments that change nothing where they are Lightning's own."""


def does_more_than_fit(project: Project) -> bool:
    """Whether the code has a LightningCLI do more than to train."""
    if project.told_by_cli is None:
        return False
    found = read_entry(project)
    return found.entry.trainer is None and (project.told_by_cli.does_more or bool(found.lost))


def missed_when_written(project: Project) -> tuple[Diagnostic, ...]:
    """What cannot be read of one that is written out."""
    told = project.told_by_cli
    return told.problems if told is not None and told.is_written else ()


def missed_of_cli(project: Project, cli: cst.Call | None) -> Iterator[Diagnostic]:
    """What the script would miss of a call."""
    if cli is None or project.told_by_cli is None:
        return
    yield from project.told_by_cli.problems
    for argument in cli.args:
        name = argument.keyword.value if argument.keyword else ""
        if name in OF_LIGHTNING and not _says_nothing(project, name, argument.value):
            yield messages.cli_settings((project.source, argument))


def _says_nothing(project: Project, name: str, value: cst.BaseExpression) -> bool:
    """Whether an argument is its default."""
    known = values_of(project).of(value).literal
    is_none = known is not None and known.value is None
    return is_none or project.lightning_name(value) == OF_LIGHTNING.get(name, "")
