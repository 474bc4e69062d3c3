"""Several loaders that a main hands to the Trainer in the place of one."""

from __future__ import annotations

import libcst as cst

from ...ir.project import Project
from ...values import Dict, Instance, Sequence, Value, values_of


def is_collection(value: Value) -> bool:
    """Whether a value holds loaders; of a generator it is not known."""
    return isinstance(value, Dict) or (isinstance(value, Sequence) and value.kind in ("list", "tuple"))


def may_be_collection(project: Project, expression: cst.BaseExpression) -> bool:
    """Whether an expression may hold several loaders."""
    return any(map(is_collection, values_of(project).of(expression)))


def are_read_together(project: Project, expression: cst.BaseExpression) -> bool:
    """Whether it may hold several that training reads batches of at once."""
    found = values_of(project).of(expression)
    return any(is_collection(each) or is_combined(each) for each in found)


def is_combined(value: Value) -> bool:
    """Whether it makes one of several loaders."""
    return isinstance(value, Instance) and value.lightning == "CombinedLoader"
