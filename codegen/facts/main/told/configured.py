"""A setting that a configuration says, known when building, which the script's command line may change."""

from __future__ import annotations

import libcst as cst

from ....ir.project import Project
from ....values import Literal, Option, Value, values_of


def configured_literal(project: Project, setting: cst.BaseExpression) -> Literal | None:
    """What a configuration says that it is; None: code may say it, or a run alone knows it."""
    whole = project.holding(setting)
    found = values_of(whole).of(setting)
    known = [each for each in found if isinstance(each, Literal)]
    is_said = len(known) == 1 and all(_is_configured(whole, each) for each in found)
    return known[0] if is_said else None


def _is_configured(project: Project, value: Value) -> bool:
    """Whether it is a setting of a configuration, or what that is when building."""
    if project.configuration is None or not isinstance(value, Literal | Option):
        return False
    return project.index.holds(project.configuration.statement.node, value.node)
