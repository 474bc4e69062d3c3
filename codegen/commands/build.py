"""`ddpgen build`."""

from __future__ import annotations

from pathlib import Path

import click

from ..diagnostics import Format
from .options import DATA_CLASS, FORMAT, MODEL, MODEL_CLASS, ROOT, STRATEGY
from .reporting import report, reporting


@click.command()
@MODEL
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
@click.option(
    "--force", is_flag=True, help="Overwrite a script that was edited, or that ddpgen did not write."
)
@FORMAT
def build(
    model: Path,
    strategy: str,
    output: Path | None,
    model_class: str | None,
    data_class: str | None,
    roots: tuple[Path, ...],
    force: bool,
    form: Format,
) -> None:
    """Write the script for MODEL.py. The code in it is read, never run.

    \b
    ddpgen build model.py
    ddpgen build model.py --strategy spec.yaml -o train.py
    """
    from ..compile import compile_script
    from ..spec import load_spec
    from ..write import write_script

    with reporting(model, form):
        spec = load_spec(strategy)
        path = output or model.parent / f"train_{spec.name}.py"
        compiled = compile_script(model, spec, model_class, data_class, path.parent, roots)
        write_script(path, compiled.text, force, (model,))
    report(compiled.notes, form)
    if form == "text":
        click.echo(f"wrote {path.as_posix()}")
