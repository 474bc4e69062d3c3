"""Where code takes from its trainer what a script's has not, and never reads it."""

from __future__ import annotations

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...lightning.trainer_names import INNER, TRAINER_NAMES
from ...runtime.constructed import trainer_members

TAKEN = m.Assign(targets=[m.AssignTarget(m.Name())])


def unread_assignment(index: Index, asked: cst.Attribute) -> cst.Assign | None:
    """`connector = trainer._checkpoint_connector`, of which a function makes nothing; None: it may."""
    statement = index.parent(asked)
    if not (isinstance(statement, cst.Assign) and m.matches(statement, TAKEN)):
        return None
    variable = index.variable(cst.ensure_type(statement.targets[0].target, cst.Name))
    is_known = asked.attr.value in (TRAINER_NAMES | INNER) - trainer_members()
    is_unread = variable is not None and variable.scope.kind == "function" and not variable.uses
    return statement if is_known and is_unread else None
