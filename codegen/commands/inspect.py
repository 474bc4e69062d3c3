"""`ddpgen inspect`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .options import MODEL, ROOT
from .reporting import reporting


@click.command()
@MODEL
@ROOT
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def inspect(model: Path, roots: tuple[Path, ...], as_json: bool) -> None:
    """Say what MODEL.py holds: classes, hooks, optimizers, logged names, data, and what is not supported.

    \b
    ddpgen inspect model.py
    ddpgen inspect model.py --json
    """
    from ..inspection import inspect as inspect_file
    from ..inspection import report_text

    with reporting(model, "json" if as_json else "text"):
        report = inspect_file(model, roots)
    click.echo(json.dumps(report.as_dict(), indent=2) if as_json else report_text(report))
