"""`ddpgen init`."""

from __future__ import annotations

from pathlib import Path

import click

from .console import echo
from .options import DATA_CLASS, MODEL_CLASS, ROOT
from .reporting import reporting

DEFAULT = "ddp.yaml"


@click.command()
@click.argument("model", metavar="[MODEL.py]", required=False, type=click.Path(path_type=Path))
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@MODEL_CLASS
@DATA_CLASS
@ROOT
def init(
    model: Path | None,
    file: Path | None,
    model_class: str | None,
    data_class: str | None,
    roots: tuple[Path, ...],
) -> None:
    """Write a strategy spec to FILE, by default ddp.yaml: every setting with its default and when to change it.

    With MODEL.py it is made for that file: the arguments of its model, and of the data that is found, with blanks.
    Beside it, .ddpgen/spec.schema.json has editors complete and check it. No file is overwritten.

    \b
    ddpgen init
    ddpgen init model.py
    ddpgen init model.py single.yaml --model Net
    """
    from ..starter_spec.model_file import spec_for
    from ..starter_spec.settings import starter_spec, write_starter

    if model is not None and model.suffix != ".py":
        if file is not None:
            raise click.UsageError("The first of two files is the model's: MODEL.py.")
        model, file = None, model
    file = file or (model.parent if model else Path()) / DEFAULT
    with reporting(model or file, "text"):
        text = (
            spec_for(model, file.as_posix(), (model_class, data_class), roots)
            if model
            else starter_spec(file.name)
        )
        written = write_starter(file, text)
    echo("\n".join(f"wrote {path.as_posix()}" for path in written))
