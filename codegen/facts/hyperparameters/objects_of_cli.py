"""Hyperparameters that LightningCLI makes objects of: it saves what its configuration says of them, and no objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...index import patterns as m
from ...ir.project import Class, Project
from ...values import Instance, values_of
from ..code.literals import code_of
from ..code.parameters import Parameter, parameters
from ..code.usage import Usage

WORDS = re.compile(r"[\w.]+")

DATACLASS = re.compile(r"^@(dataclasses\.)?dataclass\b", re.MULTILINE)

ENTRY = m.Subscript(slice=[m.SubscriptElement(m.Index(m.SimpleString()))])


def objects_read(project: Project, cls: Class, usage: Usage) -> Iterator[Diagnostic]:
    """Where code reads such a one, which is a mapping under Lightning, and in the script the object."""
    taken = {each.name: each for each in parameters(cls)}
    for node in usage.reads.get("hparams", ()):
        asked = project.index.parent(node)
        name = _name(asked, node)
        if asked is not None and name in taken and _is_object(project, taken[name]):
            yield messages.object_of_cli((project.source, asked), name)


def _is_object(project: Project, parameter: Parameter) -> bool:
    """Whether a parameter is given an object, or says that it is one of a class that holds others or computes."""
    if any(isinstance(each, Instance) for each in values_of(project).parameter(parameter.node)):
        return True
    named = {name.rpartition(".")[2] for name in WORDS.findall(parameter.annotation)}
    fields = {each.names[0] for each in project.statements if DATACLASS.search(each.code)}
    return bool(named & (fields | {"Module"}))


def _name(asked: cst.CSTNode | None, hparams: cst.CSTNode) -> str:
    """The hyperparameter that is asked for by its name; empty: none is."""
    if isinstance(asked, cst.Attribute) and asked.value is hparams:
        return asked.attr.value
    if isinstance(asked, cst.Subscript) and asked.value is hparams and m.matches(asked, ENTRY):
        return str(ast.literal_eval(code_of(asked.slice[0].slice)))
    return ""
