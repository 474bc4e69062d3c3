"""`ddpgen init`."""

from __future__ import annotations

from pathlib import Path

import click

from .reporting import reporting


@click.command()
@click.argument("file", metavar="[FILE]", default="ddp.yaml", type=click.Path(path_type=Path))
def init(file: Path) -> None:
    """Write a strategy spec to FILE, by default ddp.yaml: every setting with its default and when to change it.

    Beside it, .ddpgen/spec.schema.json has editors complete and check it.

    \b
    ddpgen init
    ddpgen init single.yaml
    """
    from ..spec.starter import write_starter

    with reporting(file, "text"):
        written = write_starter(file)
    click.echo("\n".join(f"wrote {path.as_posix()}" for path in written))
