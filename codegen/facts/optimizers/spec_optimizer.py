"""The optimizer that the spec describes: it becomes the model's `configure_optimizers`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project, Statement
from ...source.names import global_names
from ...spec.load import LoadedSpec
from ..main.own_main import OwnMain

METHOD = "configure_optimizers"


def with_spec_optimizer(project: Project, loaded: LoadedSpec, model: Class) -> tuple[Project, Class]:
    """The project in which the model has that method, in the place of its own; and the model."""
    if project.spec_optimizer is None:
        return project, model
    (method,) = cst.ensure_type(project.spec_optimizer.node, cst.ClassDef).body.body
    name = Path(loaded.file.path).name
    told = cst.ensure_type(method, cst.FunctionDef).with_changes(
        leading_lines=[cst.EmptyLine(), cst.EmptyLine(comment=cst.Comment(f"# from {name}"))]
    )
    own, block = model.own_methods.get(METHOD), _block(model.node.body)
    body = block.with_changes(body=[*(each for each in block.body if each is not own), told])
    node = model.node.with_changes(body=body)
    adopted = {name: each for name, each in model.adopted.items() if name != METHOD}
    given = replace(model, node=node, adopted=adopted)
    changed = tuple(_with_class(project, each, model, node) for each in project.statements)
    classes = {name: given if cls is model else cls for name, cls in project.classes.items()}
    return replace(project, statements=changed, classes=classes), given


def _block(body: cst.BaseSuite) -> cst.IndentedBlock:
    """The class's body, on lines of its own."""
    if isinstance(body, cst.IndentedBlock):
        return body
    return cst.IndentedBlock([cst.SimpleStatementLine(cst.ensure_type(body, cst.SimpleStatementSuite).body)])


def _with_class(project: Project, statement: Statement, model: Class, node: cst.ClassDef) -> Statement:
    """The statement, with the model's new class in it if it has the old one."""
    if model.holder not in statement.names:
        return statement
    changed = cast(
        cst.BaseStatement,
        node if statement.node is model.node else statement.node.deep_replace(model.node, node),
    )
    code = project.source.module.code_for_node(changed)
    return replace(statement, node=changed, code=code, uses=global_names(code))


def check_spec_optimizer(project: Project, loaded: LoadedSpec, own: OwnMain | None) -> Iterator[Diagnostic]:
    """An optimizer that a main of the user's own would not use, and a scheduler without one."""
    is_written = project.told_by_cli is not None and project.told_by_cli.is_written
    if project.spec_optimizer is not None and own is not None and not is_written:
        yield messages.optimizer_beside_a_main(loaded.key_place("optimizer"))
    off = m.Arg(keyword=m.Name("auto_configure_optimizers"), value=m.Name("False"))
    for argument in project.entry.cli.args if project.spec_optimizer and project.entry.cli else ():
        if m.matches(argument, off):
            yield messages.optimizer_turned_off((project.source, argument))
    if loaded.spec.lr_scheduler and project.spec_optimizer is None:
        yield messages.scheduler_without_optimizer(loaded.key_place("lr_scheduler"))
