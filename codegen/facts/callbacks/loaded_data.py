"""What is surely data, and no object of a class: what displays hold, and what stands in files."""

from __future__ import annotations

import re

import libcst as cst

from ...ir.project import Project
from ...values import Dict, Literal, Option, Sequence, Value

READING = frozenset({"json.load", "json.loads", "yaml.full_load", "yaml.safe_load"})
"""Functions that give nothing else."""

OF_MAPPINGS = re.compile(r"\.(copy|get|items|keys|pop|setdefault|values)\(\.\.\.\)")
"""Methods by which what a mapping holds is asked for, as an option's name has them."""


def is_data(project: Project, value: Value) -> bool:
    """Whether it is such, however the code got at it."""
    if isinstance(value, Dict | Sequence | Literal):
        return True
    if not isinstance(value, Option) or "(" in OF_MAPPINGS.sub("", value.name):
        return False
    own, node = project.configuration, value.node
    if own is not None and project.index.holds(own.statement.node, node):
        return True
    return isinstance(node, cst.Call) and project.called(node) in READING
