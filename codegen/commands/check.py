"""`ddpgen check`."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..diagnostics import Format
from .options import FORMAT
from .reporting import echo_diff, report

if TYPE_CHECKING:
    from ..output.drift import Drift


@click.command()
@click.argument("paths", metavar="[PATHS]", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--rebuild", is_flag=True, help="Build also those whose sources have not changed.")
@FORMAT
def check(paths: tuple[Path, ...], rebuild: bool, form: Format) -> None:
    """Say whether the scripts below PATHS are what their sources would give now, your edits aside.

    Prints what differs and exits with 1 where one is not. Writes nothing.

    \b
    ddpgen check
    ddpgen check training/ --format github
    """
    # many builds in one process, whose syntax trees are many and small
    gc.set_threshold(100_000, 50, 50)
    gc.enable()
    from ..output.drift import drifts_of
    from ..output.generated_scripts import scripts_below

    found = drifts_of(scripts_below(paths or (Path(),)), rebuild)
    if form == "json":
        click.echo(json.dumps([_as_data(drift) for drift in found], indent=2))
    else:
        for drift in found:
            _show(drift, form)
        click.echo(_summary(found), err=True)
    sys.exit(any(drift.problems for drift in found))


def _as_data(drift: Drift) -> dict[str, object]:
    return {
        "script": drift.script.as_posix(),
        "is_up_to_date": not drift.problems,
        "diagnostics": [asdict(problem) for problem in drift.problems],
        "difference": drift.difference,
    }


def _show(drift: Drift, form: Format) -> None:
    report(drift.problems, form)
    echo_diff(drift.difference)


def _summary(found: Sequence[Drift]) -> str:
    stale = sum(bool(drift.problems) for drift in found)
    if not found:
        return "There are no generated scripts here."
    return f"Generated scripts up to date: {len(found) - stale} of {len(found)}."
