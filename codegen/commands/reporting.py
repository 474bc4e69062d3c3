"""Diagnostics on their way out, and the exit code that goes with them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ..code_frame import HARMLESS
from ..diagnostics import CompileError, Diagnostic, Format, format_all
from .console import echo, width_of_errors


def report(diagnostics: tuple[Diagnostic, ...], form: Format) -> None:
    """Print diagnostics: for people to stderr, for machines to stdout."""
    if diagnostics or form == "json":
        echo(format_all(diagnostics, form, width_of_errors()), err=form == "text")


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
    """Print a unified diff, in colour on a terminal that takes it; elsewhere as it is, for `git apply`."""
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    for line in text.split("\n")[:-1]:
        shown = line.translate(HARMLESS)
        click.echo(shown if os.environ.get("NO_COLOR") else click.style(shown, fg=COLOURS.get(line[:1])))
