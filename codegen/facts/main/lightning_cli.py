"""What LightningCLI is told elsewhere than in its file."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...spec.load import LoadedSpec
from ...values import values_of
from ..code.instances import Instances

SETTINGS = ("trainer_class", "trainer_defaults", "seed_everything_default", "args")
"""Arguments that say what the file may say."""


def missed_of_cli(project: Project, loaded: LoadedSpec, cli: cst.Call | None) -> Iterator[Diagnostic]:
    """What the script would miss of a call, and what a class derived from LightningCLI does beside."""
    for argument in cli.args if cli else ():
        name = argument.keyword.value if argument.keyword else ""
        if name in SETTINGS and not _says_nothing(project, loaded, name, argument.value):
            yield messages.cli_settings((project.source, argument))
    cls = Instances(project).class_named(values_of(project).callees(cli).only) if cli else None
    for method_name, method in cls.methods.items() if cls else ():
        at = (project.source, method.name)
        if method_name == "add_arguments_to_parser":
            yield messages.cli_parser(at)
        else:
            yield messages.cli_method(at, method_name)


def _says_nothing(project: Project, loaded: LoadedSpec, name: str, value: cst.BaseExpression) -> bool:
    """Whether an argument has no say: its default, or a seed where the file has one."""
    known = values_of(project).of(value).literal
    if known and (isinstance(known.value, bool) or (name == "args" and known.value is None)):
        return True
    return name == "seed_everything_default" and loaded.is_given("seed_everything")
