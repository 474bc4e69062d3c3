"""Classes that the code names in a configuration itself: `cfg.model.loss._target_ = "torch.nn.MSELoss"`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from ..modules.module import Module
from .held import TARGET


def assigned_targets(modules: Iterable[Module]) -> Mapping[str, tuple[str, ...]]:
    """By the name of the part of which each is said."""
    found = dict[str, dict[str, None]]()
    for module in (each for each in modules if TARGET in each.text):
        for part, target in _assigned(module.tree):
            found.setdefault(part, {})[target] = None
    return {part: tuple(targets) for part, targets in found.items()}


def _assigned(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            keys = list(_keys(node.targets[0]))
            if keys[:1] == [TARGET] and len(keys) > 1 and isinstance(node.value.value, str):
                yield keys[1], node.value.value


def _keys(node: ast.expr) -> Iterator[str]:
    """The names by which a part is got at, the last one first, as far as they are written out."""
    match node:
        case ast.Attribute(owner, name) | ast.Subscript(owner, ast.Constant(str(name))):
            yield name
            yield from _keys(owner)
