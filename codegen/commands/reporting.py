"""Diagnostics on their way out, and the exit code that goes with them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ..diagnostics import CompileError, Diagnostic, Format, format_all
from .console import width_of_errors


def report(diagnostics: tuple[Diagnostic, ...], form: Format) -> None:
    """Print diagnostics: for people to stderr, for machines to stdout."""
    if diagnostics or form == "json":
        click.echo(format_all(diagnostics, form, width_of_errors()), err=form == "text")


@contextmanager
def reporting(model: Path, form: Format) -> Iterator[None]:
    """End with exit code 1 where the code or the spec has errors, having said which."""
    try:
        yield
    except RecursionError:
        from .. import messages

        report((messages.too_deep(model.as_posix()),), form)
        sys.exit(1)
    except CompileError as error:
        report(error.diagnostics, form)
        sys.exit(1)


COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def echo_diff(text: str) -> None:
    """Print a unified diff, in colour on a terminal."""
    is_colourful = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for line in text.split("\n")[:-1] if is_colourful else ():
        click.echo(click.style(line, fg=COLOURS.get(line[:1])))
    if not is_colourful:
        click.echo(text, nl=False)
