"""What LightningCLI is told that the script would miss, and what the code does with it beside."""

from __future__ import annotations

import libcst as cst

from ...diagnostics import Diagnostic
from ...ir.project import Project
from .entry import read_entry


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


def missed_of_cli(project: Project, cli: cst.Call | None) -> tuple[Diagnostic, ...]:
    """What the script would miss of a call."""
    told = project.told_by_cli
    return told.problems if told is not None and cli is not None else ()
