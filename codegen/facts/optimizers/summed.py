"""Losses that are sums over their batch, as far as the code says so."""

from __future__ import annotations

import libcst as cst

from ...index import patterns as m
from ...ir.project import Class, Project

SUM = m.Arg(keyword=m.Name("reduction"), value=m.SimpleString('"sum"') | m.SimpleString("'sum'"))


def sums_losses(project: Project, model: Class) -> bool:
    """Whether the model asks for sums, and nothing near divides what comes of them."""
    found = [each for part in model.lineage for each in project.index.matching(part.node, SUM)]
    return any(not _is_divided(project, each) for each in found)


def _is_divided(project: Project, asked: cst.CSTNode) -> bool:
    function = project.index.function_of(asked)
    return function is not None and bool(project.index.within(function, cst.Divide, cst.DivideAssign))
