"""`ddpgen plan`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from .options import DATA_CLASS, MODEL, MODEL_CLASS, ROOT, STRATEGY
from .reporting import reporting


class Memory(click.ParamType):  # type: ignore[type-arg]  # a newer click has one
    """A number of bytes."""

    name = "memory"
    UNITS = ("", "K", "M", "G", "T")

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = re.fullmatch(r"(\d+(?:\.\d+)?) *([KMGT]?)(i?)B?", str(value), re.IGNORECASE)
        if not found:
            self.fail(f"{value!r} is no size of memory, such as 80GB", param, ctx)
        base = 1024 if found[3] else 1000
        return int(float(found[1]) * base ** self.UNITS.index(found[2].upper()))


@click.command()
@MODEL
@click.argument("arguments", metavar="[-- ARGUMENTS]", nargs=-1)
@click.option(
    "--devices", type=click.IntRange(1), default=8, show_default=True, metavar="N", help="How many."
)
@click.option(
    "--memory", type=Memory(), default="80GB", show_default=True, metavar="SIZE", help="Of each device."
)
@STRATEGY
@MODEL_CLASS
@DATA_CLASS
@ROOT
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def plan(
    model: Path,
    arguments: tuple[str, ...],
    devices: int,
    memory: int,
    strategy: str,
    model_class: str | None,
    data_class: str | None,
    roots: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Say what each strategy takes of a device's memory and of the network, and the spec of the first that fits.

    This runs your code: each strategy's script takes one step, as the first of N ranks, on the CPU, with tensors that
    have no data, in a temporary copy of the file's folder. All settings but the strategy's are those of --strategy.

    \b
    ddpgen plan model.py --devices 8 --memory 80GB
    ddpgen plan model.py --devices 2 --memory 24GB --strategy large.yaml
    ddpgen plan train.py --json -- --width 4096
    """
    from ..capacity import Need, Request, as_data, estimates, first_that_fits, sentences, table
    from ..capacity.candidates import written
    from ..spec.load import load_spec
    from .console import console

    out, need = console(), Need(devices, memory)
    with reporting(model, "text"):
        loaded = load_spec(strategy)
        request = Request(model, loaded, devices, model_class, data_class, roots, arguments)
        if not as_json:
            out.print(
                f"This runs the code in {model.as_posix()}: a step of each strategy, on tensors without data."
            )
        found = estimates(request, lambda names: None if as_json else out.print(f"running {names} ..."))
    if as_json:
        click.echo(json.dumps(as_data(found, need, loaded), indent=2))
        return
    out.print(table(found, need))
    for sentence in sentences(found, loaded):
        out.print(sentence)
    if first := first_that_fits(found, need):
        out.print(f"The first that fits, with a tenth of the memory left free, is {first.candidate.name}:\n")
        click.echo(written(loaded, first.candidate), nl=False)
    else:
        out.print("None of these is known to fit, with a tenth of the memory left free.")
