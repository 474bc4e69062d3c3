"""Where people read: in colour on a terminal that takes it, plain otherwise."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from ..code_frame import HARMLESS

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH = 120  # of what is piped or kept in a log


def echo(text: str, err: bool = False, nl: bool = True) -> None:
    """Print what may hold a stranger's code or names of files: nothing in it commands the terminal."""
    click.echo(text.translate(HARMLESS), err=err, nl=nl)


def console() -> Console:
    """Standard output; NO_COLOR takes all styles away."""
    from rich.console import Console

    out = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not out.is_terminal:
        out.width = PLAIN_WIDTH
    if os.environ.get("NO_COLOR"):
        out = Console(highlight=False, markup=False, emoji=False, color_system=None, width=out.width)
    return out


def width_of_errors() -> int | None:
    """How wide the terminal is that errors are printed on; None: they go elsewhere, where lines stay whole."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or None
    except (OSError, ValueError):
        return None
