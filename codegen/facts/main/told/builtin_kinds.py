"""What `isinstance` says of what code is told, and of the mappings and lists that this stands in."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from ....index import patterns as m
from ....ir.project import Project
from ....values import Dict, Sequence, Value
from ...hyperparameters.plain_arguments import CONFIGURING

KINDS: dict[str, type] = {each.__name__: each for each in (bool, dict, float, int, list, str)}

OTHERS = CONFIGURING | {"attrdict", "ml_collections"}
"""Packages whose mappings are no dicts, and come of such."""

ASKED = m.Call(m.Name("isinstance"), [m.Arg(keyword=None, star=""), m.Arg(keyword=None, star="")])


def kinds_asked(project: Project, call: cst.Call) -> tuple[type, ...] | None:
    """The builtin kinds that a call of `isinstance` names; None: it names others, or is no such call."""
    if not m.matches(call, ASKED) or project.index.bindings(cst.ensure_type(call.func, cst.Name)):
        return None
    named = call.args[1].value
    nodes = [each.value for each in named.elements] if isinstance(named, cst.Tuple) else [named]
    names = [each.value for each in nodes if isinstance(each, cst.Name) and not project.index.bindings(each)]
    is_known = len(names) == len(nodes) and KINDS.keys() >= {*names}
    return tuple(KINDS[each] for each in names) if is_known else None


def container(project: Project, found: Iterable[Value]) -> type | None:
    """The kind of what all values are: of dicts, or of lists, as they are written, or loaded; None: of another."""
    if not OTHERS.isdisjoint(project.packages | project.kept_packages):
        return None
    kinds = {_written(each) for each in found}
    return kinds.pop() if len(kinds) == 1 else None


def _written(value: Value) -> type | None:
    if isinstance(value, Dict) and isinstance(value.node, cst.Dict) and not value.is_alias:
        return dict
    is_list = isinstance(value, Sequence) and isinstance(value.node, cst.List) and not value.part
    return list if is_list else None
