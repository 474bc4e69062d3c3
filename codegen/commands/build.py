"""`ddpgen build`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..diagnostics import Format
from .console import echo
from .options import DATA_CLASS, FORMAT, MODEL, MODEL_CLASS, ROOT, STRATEGY
from .reporting import report, reporting


@click.command()
@MODEL
@click.argument("overrides", metavar="[-- OVERRIDES]", nargs=-1)
@STRATEGY
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Default: train_<strategy>.py beside the model.",
)
@MODEL_CLASS
@DATA_CLASS
@ROOT
@click.option("--force", is_flag=True, help="Take today's text, whatever stands there.")
@click.option("--ours", is_flag=True, help="Where your edits and today's text conflict, your edits.")
@click.option("--theirs", is_flag=True, help="Where they conflict, today's text.")
@FORMAT
def build(
    model: Path,
    overrides: tuple[str, ...],
    strategy: str,
    output: Path | None,
    model_class: str | None,
    data_class: str | None,
    roots: tuple[Path, ...],
    force: bool,
    ours: bool,
    theirs: bool,
    form: Format,
) -> None:
    """Write the script for MODEL.py. The code in it is read, never run.

    A script that you have edited keeps your edits. What stands after -- is for the configuration of a main of hydra's.

    \b
    ddpgen build model.py
    ddpgen build model.py --strategy spec.yaml -o train.py
    ddpgen build train.py -- model=small trainer.max_epochs=5
    """
    if force + ours + theirs > 1:
        raise click.UsageError("Give but one of --force, --ours and --theirs.")
    from ..generate import generate
    from ..ir.recipe import Recipe
    from ..output.merge import Side
    from ..output.write import write_script
    from ..spec.load import load_spec

    with reporting(model, form):
        spec = load_spec(strategy)
        path = output or model.parent / f"train_{spec.name}.py"
        named = spec.name if spec.path is None else Path(spec.path)
        record, notes = generate(
            Recipe(
                script=path,
                model=model,
                strategy=named,
                model_class=model_class,
                data_class=data_class,
                roots=roots,
                overrides=overrides,
            ),
            spec,
        )
        side = Side.OURS if ours else Side.THEIRS if theirs else None
        outcome, is_written = write_script(record, force, side)
    report((*notes, *outcome.notes, *outcome.conflicts), form)
    if outcome.conflicts:
        sys.exit(1)
    if form == "text":
        echo(f"wrote {path.as_posix()}" if is_written else f"{path.as_posix()} is up to date")
