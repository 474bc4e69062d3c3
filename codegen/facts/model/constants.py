"""Constants of Lightning's that code reads: its version, what is installed, types of dicts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import libcst as cst

from ...ir.project import Project, Statement
from ...ir.rewrites import Rewrites
from ...lightning_api import TYPED_DICTS
from .unsupported import lightning_names

VERSION = '"2.6.6"'
"""The one whose training a script repeats."""

AVAILABLE = re.compile("_([A-Z]+)_AVAILABLE")

Constants = dict[cst.CSTNode, str]


def constants(project: Project, statements: Iterable[Statement]) -> Constants:
    """Where they are read, with what takes their place."""
    named = (pair for each in statements for pair in lightning_names(project, each.node))
    return {node: code for node, name in named if (code := _code(name))}


def _code(name: str) -> str:
    """The constant as code of the script's; empty: it is none."""
    if name in TYPED_DICTS:
        return "dict"
    found = AVAILABLE.fullmatch(name)
    return VERSION if name == "__version__" else f'is_installed("{found[1].lower()}")' if found else ""


def with_constants(rewrites: Rewrites, found: Constants) -> Rewrites:
    """The rewrites, and these."""
    pairs = tuple((node, code) for node, code in found.items() if isinstance(node, cst.BaseExpression))
    return replace(rewrites, expressions=rewrites.expressions + pairs)
