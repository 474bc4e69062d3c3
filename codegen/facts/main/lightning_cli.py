"""What LightningCLI is told that the script would miss."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project
from ...values import values_of
from ..code.instances import Instances

OF_PARSER = frozenset({"__init__", "add_arguments_to_parser"})
"""Methods that are read when linking."""


def missed_of_cli(project: Project, cli: cst.Call | None) -> Iterator[Diagnostic]:
    """What the script would miss of a call, and of a class derived from LightningCLI."""
    if cli is None:
        return
    yield from project.told_by_cli.problems if project.told_by_cli else ()
    for argument in cli.args:
        name = argument.keyword.value if argument.keyword else ""
        if name in ("trainer_class", "parser_class", "args") and not _says_nothing(project, argument.value):
            yield messages.cli_settings((project.source, argument))
    cls = Instances(project).class_named(values_of(project).callees(cli).only)
    for name, method in _methods(cls) if cls else ():
        yield messages.cli_method((project.source, method.name), name)


def _methods(cls: Class) -> Iterator[tuple[str, cst.FunctionDef]]:
    """Those that do something beside the parser's."""
    for name, method in cls.methods.items():
        takes_parser = any(each.name.value == "parser" for each in method.params.params)
        if name not in OF_PARSER and not takes_parser and not _does_nothing(method):
            yield name, method


def _does_nothing(method: cst.FunctionDef) -> bool:
    return all(
        m.matches(each, m.SimpleStatementLine([m.Pass() | m.Expr(m.SimpleString() | m.Ellipsis())]))
        for each in method.body.body
    )


def _says_nothing(project: Project, value: cst.BaseExpression) -> bool:
    """Whether an argument is its default."""
    known = values_of(project).of(value).literal
    return (known is not None and known.value is None) or _is_lightnings(project, value)


def _is_lightnings(project: Project, value: cst.BaseExpression) -> bool:
    return project.lightning_name(value) in ("Trainer", "LightningArgumentParser")
