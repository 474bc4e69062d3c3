"""Loader hooks that a constructor makes other names of methods, as in `self.val_dataloader = self._val_dataloader`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..index import patterns as m
from ..index.search import findall

LOADERS = frozenset("train_dataloader val_dataloader test_dataloader predict_dataloader".split())
"""Hooks that return loaders."""

OWN = m.Attribute(value=m.Name("self"), attr=m.Name())
ALIASING = m.Assign(targets=[m.AssignTarget(OWN)], value=OWN)


def loader_aliases(constructor: cst.FunctionDef | None) -> dict[str, str]:
    """The hooks, each with the name of the method that it is."""
    return {hook: method for hook, method in map(_names, _aliasing(constructor)) if hook in LOADERS}


def bindings_of(constructor: cst.FunctionDef | None) -> Iterator[tuple[str, cst.CSTNode]]:
    """The hooks, each with where it is bound."""
    for each in _aliasing(constructor):
        if (hook := _names(each)[0]) in LOADERS:
            yield hook, cst.ensure_type(each, cst.Assign).targets[0].target


def binds_surely(constructor: cst.FunctionDef, hook: str) -> bool:
    """Whether a constructor binds a hook whatever it is given."""
    lines = () if findall(constructor.body, m.Return()) else constructor.body.body
    parts = (part for line in lines if isinstance(line, cst.SimpleStatementLine) for part in line.body)
    return any(m.matches(part, ALIASING) and _names(part)[0] == hook for part in parts)


def _aliasing(constructor: cst.FunctionDef | None) -> list[cst.CSTNode]:
    return findall(constructor.body, ALIASING) if constructor else []


def _names(aliasing: cst.CSTNode) -> tuple[str, str]:
    """Of the attribute that is bound, and of the one that it is bound to."""
    assign = cst.ensure_type(aliasing, cst.Assign)
    target, value = (
        cst.ensure_type(each, cst.Attribute) for each in (assign.targets[0].target, assign.value)
    )
    return target.attr.value, value.attr.value
