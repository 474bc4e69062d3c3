"""`ddpgen strategies`."""

from __future__ import annotations

import click


@click.command()
def strategies() -> None:
    """List the strategies that ship with ddpgen, for `--strategy`.

    \b
    ddpgen strategies
    """
    from ..spec.load import preset_list

    presets = preset_list()
    width = max(len(name) for name, _ in presets)
    for name, description in presets:
        click.echo(f"{name:{width}}  {description}")
