"""What LightningCLI is told elsewhere than in its file."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..index import patterns as m
from ..index.search import findall
from ..ir.project import Project
from ..spec.load import LoadedSpec
from .literals import code_of

SETTINGS = ("trainer_class", "trainer_defaults", "seed_everything_default", "args")
"""Arguments that say what the file may say."""


def missed_of_cli(project: Project, loaded: LoadedSpec, cli: cst.Call | None) -> Iterator[Diagnostic]:
    """What the script would miss of a call, and what a class derived from LightningCLI does beside."""
    for argument in cli.args if cli else ():
        name = argument.keyword.value if argument.keyword else ""
        if name in SETTINGS and not _says_nothing(project, loaded, name, argument.value):
            yield messages.cli_settings((project.source, argument))
    cls = project.classes.get(code_of(cli.func)) if cli else None
    for method_name, method in cls.methods.items() if cls else ():
        at = (project.source, method.name)
        if method_name == "add_arguments_to_parser":
            yield messages.cli_parser(at)
        else:
            yield messages.cli_method(at, method_name)


def _says_nothing(project: Project, loaded: LoadedSpec, name: str, value: cst.BaseExpression) -> bool:
    """Whether an argument has no say: its default, or a seed where the file has one."""
    if m.matches(value, m.Name("True") | m.Name("False")):
        return True
    if name == "args":
        return _is_none(project, value)
    return name == "seed_everything_default" and loaded.is_given("seed_everything")


def _is_none(project: Project, value: cst.BaseExpression) -> bool:
    """Whether it is None, or a parameter of a main, which is called without any, that is None by default."""
    if not isinstance(value, cst.Name) or value.value == "None":
        return m.matches(value, m.Name("None"))
    parameter = m.Param(name=m.Name(value.value), default=m.Name("None"))
    functions = (each.node for each in project.statements if isinstance(each.node, cst.FunctionDef))
    return any(
        findall(function.params, parameter) and value in findall(function, m.Name(value.value))
        for function in functions
    )
