"""`ddpgen convert`."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from .reporting import reporting

CODE = """
import sys
from pathlib import Path
from ddpgen.strategies.checkpoints.sharded_checkpoint import convert_checkpoint
convert_checkpoint(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@click.command()
@click.argument("checkpoint", metavar="CHECKPOINT", type=click.Path(exists=True, path_type=Path))
@click.argument("to", metavar="TO", type=click.Path(path_type=Path))
def convert(checkpoint: Path, to: Path) -> None:
    """Make of a checkpoint's folder one file, that Lightning reads too; of such a file a folder.

    Nothing in either is run. The whole checkpoint has to fit into memory.

    \b
    ddpgen convert runs/net/last.ckpt whole.ckpt
    ddpgen convert whole.ckpt runs/net/last.ckpt
    """
    from .. import messages
    from ..diagnostics import CompileError

    with reporting(checkpoint, "text"):
        if find_spec("torch") is None:
            raise CompileError([messages.not_installed(["torch"], "torch")])
        if to.exists():
            raise CompileError([messages.not_converted_over(to.as_posix())])
        command = [sys.executable, "-c", CODE, str(checkpoint), str(to)]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            reason = (done.stderr.splitlines() or ["it ended without a word"])[-1]
            raise CompileError([messages.not_converted(checkpoint.as_posix(), reason)])
    click.echo(f"wrote {to.as_posix()}")
