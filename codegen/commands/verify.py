"""`ddpgen verify`."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import click

from .options import DATA_CLASS, MODEL, MODEL_CLASS, ROOT, STRATEGY
from .reporting import reporting


@click.command()
@MODEL
@click.argument("arguments", metavar="[-- ARGUMENTS]", nargs=-1)
@STRATEGY
@click.option(
    "--nproc",
    type=click.IntRange(1),
    metavar="N",
    help="Processes that train together. Default: 2; with the strategy `single`, 1.",
)
@click.option(
    "--steps", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="Optimizer steps."
)
@click.option(
    "--script",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A script as it stands, edits and all. Default: one that is built for this.",
)
@MODEL_CLASS
@DATA_CLASS
@ROOT
def verify(
    model: Path,
    arguments: tuple[str, ...],
    strategy: str,
    nproc: int | None,
    steps: int,
    script: Path | None,
    model_class: str | None,
    data_class: str | None,
    roots: tuple[Path, ...],
) -> None:
    """Run MODEL.py under Lightning, then its script, and compare every loss, metric and weight.

    This runs your code, on the CPU, in a temporary copy of its folder. Exits with 0 if all is equal in every bit.
    What stands after -- both sides are given as their command line.

    \b
    ddpgen verify model.py
    ddpgen verify model.py --strategy ddp.yaml --nproc 4 --steps 100
    ddpgen verify model.py --strategy ddp.yaml --script train_ddp.py
    ddpgen verify train.py -- --data images/ --width 64
    """
    # what ends this process from outside also ends those that it has started, and removes their files
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    from ..spec.load import Strategy, load_spec
    from ..verify import Failed, Request, table
    from ..verify import verify as run
    from .console import console

    with reporting(model, "text"):
        loaded = load_spec(strategy)
        world = nproc or (2 if loaded.spec.strategy is Strategy.DDP else 1)
        request = Request(model, loaded, model_class, data_class, roots, script, world, steps, arguments)
        what = f"{world} process{'es' if world > 1 else ''}, {steps} optimizer steps at most, on the CPU"
        out = console()
        out.print(f"This runs the code in {model.as_posix()}: {what}.")
        try:
            verdict = run(request, lambda side: out.print(f"running {side} ..."))
        except Failed as failure:
            click.echo(f"{failure.output}\n\n{failure.side[0].upper()}{failure.side[1:]} failed.", err=True)
            sys.exit(1)
    out.print(table(verdict))
    for note in verdict.notes:
        out.print(note)
    out.print("All equal." if verdict.is_equal else "They differ. Steps are optimizer steps, counted from 1.")
    sys.exit(0 if verdict.is_equal else 1)
