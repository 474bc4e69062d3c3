"""The command line."""

from __future__ import annotations

import io
import sys

import click

from .commands import COMMANDS
from .version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ddpgen")
def main() -> None:
    """Compile a LightningModule to one plain-PyTorch script that torchrun starts.

    \b
    ddpgen build model.py                           # reads model.py, writes train_ddp.py
    ddpgen verify model.py                          # do both train alike?
    torchrun --nproc-per-node=8 train_ddp.py
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files need not be text


for command in COMMANDS:
    main.add_command(command)
