"""Methods of a class derived from LightningCLI that nothing calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set

from ...modules.module import Module


def uncalled(
    methods: Iterable[ast.FunctionDef], modules: Iterable[Module], called: Set[str], idle: Set[ast.AST]
) -> frozenset[str]:
    """Those that no code of the modules names in any way but what is idle, beside the ones that LightningCLI calls."""
    nodes = [node for module in modules for node in module.nodes if node not in idle]
    if any(map(_may_ask_for_any, nodes)):
        return frozenset()
    named = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    named |= {node.id for node in nodes if isinstance(node, ast.Name)}
    named |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    plain = (each.name for each in methods if not each.decorator_list and not each.name.startswith("__"))
    return frozenset(plain) - named - called


def _may_ask_for_any(node: ast.AST) -> bool:
    """Whether it asks for an attribute of which only a run knows the name."""
    match node:
        case ast.Call(ast.Name("getattr"), [_, name, *_]):
            return not isinstance(name, ast.Constant)
        case ast.Call(ast.Name("eval" | "exec" | "methodcaller") | ast.Attribute(_, "methodcaller")):
            return True
    return False
