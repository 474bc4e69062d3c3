"""`ddpgen schema`."""

from __future__ import annotations

import json

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of strategy specs, by which editors complete and check them.

    \b
    ddpgen schema > spec.schema.json
    """
    from ..spec.schema import spec_schema

    click.echo(json.dumps(spec_schema(), indent=2))
