"""`ddpgen explain`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click

from .reporting import reporting


@click.command()
@click.argument("place", metavar="SCRIPT[:LINE]")
@click.option("--json", "as_json", is_flag=True, help="Print all parts as JSON.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page with your files and the script side by side.",
)
def explain(place: str, as_json: bool, html: Path | None) -> None:
    """Say where each part of SCRIPT comes from: which lines of which file, and what asked for it.

    \b
    ddpgen explain train_ddp.py
    ddpgen explain train_ddp.py:120
    ddpgen explain train_ddp.py --html train_ddp.html
    """
    from ..explain import explain as explained
    from ..explain import of_line, table, write_page
    from ..ir.files import files_of, separate
    from ..output.generated_scripts import script_of
    from .console import console, echo

    path, line = _split(place)
    script = script_of(path)
    with reporting(script, "text"):
        explanation = explained(script)
        if html is not None:
            write_page(explanation, html)
    if as_json:
        click.echo(json.dumps(explanation.as_dict(), indent=2))
    elif line is not None:
        last = dict(files_of(script, explanation.text))[path].count("\n")
        if not 1 <= line <= last:
            click.echo(f"{path.as_posix()} has {last} lines, and so no line {line}.", err=True)
            sys.exit(2)
        above = 0 if path == script else separate(explanation.text)[0].count("\n") + 1
        echo("\n".join(of_line(explanation, above + line)))
    elif html is not None:
        echo(f"wrote {html.as_posix()}")
    else:
        console().print(table(explanation))


def _split(place: str) -> tuple[Path, int | None]:
    """The script, and a line of it; a file whose name ends so is meant itself."""
    found = re.fullmatch(r"(.+):(\d+)", place)
    if found is None or Path(place).exists():
        return Path(place), None
    return Path(found[1]), int(found[2])
