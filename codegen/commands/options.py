"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem


def _strategies(context: click.Context, option: click.Parameter, typed: str) -> list[CompletionItem]:
    """What a shell offers: presets, and files."""
    from ..spec.load import preset_list

    presets = [CompletionItem(name, help=about) for name, about in preset_list() if name.startswith(typed)]
    return [*presets, CompletionItem(typed, type="file")]


MODEL = click.argument("model", metavar="MODEL.py", type=click.Path(path_type=Path))
STRATEGY = click.option(
    "--strategy",
    default="ddp",
    show_default=True,
    metavar="NAME|FILE",
    shell_complete=_strategies,
    help="A preset, or a YAML file.",
)
MODEL_CLASS = click.option(
    "--model", "model_class", metavar="CLASS", help="The LightningModule, where the file has several."
)
DATA_CLASS = click.option(
    "--data", "data_class", metavar="CLASS", help="The LightningDataModule, where the file has several."
)
ROOT = click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder from which the project's modules are imported; may be given several times.",
)
FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="How diagnostics are printed.",
)
