"""The command line: reads, calls, prints, writes, exits."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from .diagnostics import CompileError, Diagnostic, Format, format_all
from .version import __version__

FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="How diagnostics are printed.",
)
ROOT = click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder from which the project's modules are imported; may be given several times.",
)
MODEL = click.argument("model", metavar="MODEL.py", type=click.Path(path_type=Path))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ddpgen")
def main() -> None:
    """Compile a LightningModule to one plain-PyTorch script that torchrun starts."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files need not be text


@main.command()
@MODEL
@click.option(
    "--strategy", default="ddp", show_default=True, metavar="NAME|FILE", help="A preset, or a YAML file."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Default: train_<strategy>.py beside the model.",
)
@click.option(
    "--model", "model_class", metavar="CLASS", help="The LightningModule, where the file has several."
)
@click.option(
    "--data", "data_class", metavar="CLASS", help="The LightningDataModule, where the file has several."
)
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
    from .compile import compile_script
    from .spec import load_spec
    from .write import write_script

    with reporting(model, form):
        spec = load_spec(strategy)
        path = output or model.parent / f"train_{spec.name}.py"
        compiled = compile_script(model, spec, model_class, data_class, path.parent, roots)
        write_script(path, compiled.text, force, (model,))
    report(compiled.notes, form)
    if form == "text":
        click.echo(f"wrote {path.as_posix()}")


def report(diagnostics: tuple[Diagnostic, ...], form: Format) -> None:
    """Print diagnostics: for people to stderr, for machines to stdout."""
    if diagnostics or form == "json":
        click.echo(format_all(diagnostics, form), err=form == "text")


@contextmanager
def reporting(model: Path, form: Format) -> Iterator[None]:
    """End with exit code 1 where the code or the spec has errors, having said which."""
    try:
        yield
    except RecursionError:
        from . import messages

        report((messages.too_deep(model.as_posix()),), form)
        sys.exit(1)
    except CompileError as error:
        report(error.diagnostics, form)
        sys.exit(1)


@main.command()
def strategies() -> None:
    """List the strategies that ship with ddpgen."""
    from .spec import preset_list

    presets = preset_list()
    width = max(len(name) for name, _ in presets)
    for name, description in presets:
        click.echo(f"{name:{width}}  {description}")


@main.command()
@MODEL
@ROOT
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def inspect(model: Path, roots: tuple[Path, ...], as_json: bool) -> None:
    """Say what MODEL.py holds: classes, hooks, optimizers, logged names, data, and what is not supported."""
    from .inspection import inspect as inspect_file
    from .inspection import report_text

    with reporting(model, "json" if as_json else "text"):
        report_ = inspect_file(model, roots)
    click.echo(json.dumps(report_.as_dict(), indent=2) if as_json else report_text(report_))
