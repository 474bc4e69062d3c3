"""`ddpgen inspect`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from .console import echo
from .options import MODEL, ROOT
from .reporting import reporting


class Place(click.ParamType):  # type: ignore[type-arg]  # a newer click has one
    """A line, and a column if one is given."""

    name = "place"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int | None]:
        line, _, column = value.partition(":")
        if not line.isdecimal() or not (column.isdecimal() or value == line):
            self.fail(f"{value!r} is no line, and no line with a column (12 or 12:5)", param, ctx)
        return int(line), int(column) if column else None


@click.command()
@MODEL
@ROOT
@click.option(
    "--values",
    "place",
    type=Place(),
    metavar="LINE[:COL]",
    help="Say what the expressions there may be, and why.",
)
@click.option("--calls", is_flag=True, help="Say what each call may call.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def inspect(
    model: Path, roots: tuple[Path, ...], place: tuple[int, int | None] | None, calls: bool, as_json: bool
) -> None:
    """Say what MODEL.py holds: classes, hooks, optimizers, logged names, data, and what is not supported.

    \b
    ddpgen inspect model.py
    ddpgen inspect model.py --json
    ddpgen inspect train.py --values 12:5
    ddpgen inspect train.py --calls
    """
    from ..inspection import inspect as inspect_file
    from ..inspection import inspect_calls, inspect_values, report_text
    from ..values.report import calls_text, expressions_text

    with reporting(model, "json" if as_json else "text"):
        if place:
            expressions = inspect_values(model, place, roots)
            data, text = [asdict(each) for each in expressions], expressions_text(
                expressions, model.as_posix()
            )
        elif calls:
            found = inspect_calls(model, roots)
            data, text = [asdict(each) for each in found], calls_text(found)
        else:
            report = inspect_file(model, roots)
            echo(json.dumps(report.as_dict(), indent=2) if as_json else report_text(report))
            return
    echo(json.dumps(data, indent=2) if as_json else text)
