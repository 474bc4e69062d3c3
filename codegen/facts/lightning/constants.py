"""Constants of Lightning's that code reads: its version, what is installed, types of dicts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import libcst as cst

from ...index import Index
from ...index.choices import is_choice
from ...ir.project import Project, Statement
from ...ir.rewrites import Rewrites
from ...lightning.api import ALWAYS_THERE, INSTEAD, OF_DEEPSPEED, TYPED_DICTS
from .unsupported import lightning_names

VERSION = '"2.6.6"'
"""The one whose training a script repeats."""

CODES = {"__version__": VERSION, "_IS_WINDOWS": "is_windows()"}

AVAILABLE = re.compile("_([A-Z]+)_AVAILABLE")

Constants = dict[cst.CSTNode, str]


def constants(project: Project, statements: Iterable[Statement]) -> Constants:
    """Where they are read, with what takes their place."""
    named = (pair for each in statements for pair in lightning_names(project, each.node))
    return {
        node: code
        for node, name in named
        if (code := "True" if name in ALWAYS_THERE and _is_test(project.index, node) else _code(name))
    }


def names_missed(project: Project, statements: Iterable[Statement]) -> Constants:
    """What the script does not have, where it is but one choice, by its name."""
    named = (pair for each in statements for pair in lightning_names(project, each.node))
    found = ((node, name) for node, name in named if name in INSTEAD)
    return {
        node: name
        for node, name in found
        if name in OF_DEEPSPEED or (is_choice(project.index, node) and _is_of_code(project, node))
    }


def _is_of_code(project: Project, node: cst.CSTNode) -> bool:
    """Whether it stands in the user's code, and in no file of settings, whose objects are surely made."""
    return project.source.span(node).path.endswith(".py")


def without_missed(missed: Constants) -> Constants:
    """What ends a run that calls one."""
    return {node: f'missing_here("{name}")' for node, name in missed.items()}


def _is_test(index: Index, node: cst.CSTNode) -> bool:
    """Whether it is but asked if there is such a name."""
    parent = index.parent(node)
    if isinstance(parent, cst.If | cst.IfExp):
        return parent.test is node
    return isinstance(parent, cst.BooleanOperation | cst.UnaryOperation)


def _code(name: str) -> str:
    """The constant as code of the script's; empty: it is none."""
    if name in TYPED_DICTS:
        return "dict"
    found = AVAILABLE.fullmatch(name)
    return f'is_installed("{found[1].lower()}")' if found else CODES.get(name, "")


def with_constants(rewrites: Rewrites, found: Constants) -> Rewrites:
    """The rewrites, and these."""
    pairs = tuple((node, code) for node, code in found.items() if isinstance(node, cst.BaseExpression))
    return replace(rewrites, expressions=rewrites.expressions + pairs)
