"""`ddpgen diff`."""

from __future__ import annotations

from pathlib import Path

import click

from .console import echo
from .reporting import echo_diff, reporting


@click.command()
@click.argument("script", metavar="SCRIPT", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def diff(script: Path) -> None:
    """Show your own edits of SCRIPT, against what was generated.

    \b
    ddpgen diff train_ddp.py
    """
    from ..output.drift import kept
    from ..output.edits import differences
    from ..output.generated_scripts import script_of

    script = script_of(script)
    with reporting(script, "text"):
        present, last, _ = kept(script)
    difference = differences(script, last.text, present, (" (as generated)", ""))
    echo_diff(difference)
    if not difference:
        echo(f"{script.as_posix()} is as it was generated.", err=True)
