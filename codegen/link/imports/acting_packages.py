"""Installed packages that code imports for what they do: to set torch up for a device, to patch or enter something."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ...lightning.api import PACKAGES
from ...source.loaded import BY_LIGHTNING, is_standard
from ..modules.graph import Graph
from ..modules.module import Module

ACTING = frozenset("""
    ale_py comet_ml d4rl gymnasium_robotics habana_frameworks highway_env intel_extension_for_pytorch minigrid
    oneccl_bindings_for_pytorch pybullet_envs torch_directml torch_mlu torch_musa torch_npu torch_xla
    transformer_engine unsloth
    """.split())
"""Packages that do something when they are imported."""

ON_PURPOSE = re.compile(r"#\s*noqa\b", re.IGNORECASE)
"""The comment by which an author says that a name is imported and not used."""


def acting_packages(graph: Graph, imports: Iterable[tuple[Module, ast.stmt]]) -> Iterator[str]:
    """The modules that import statements name of such packages, or that these import on purpose.

    What Lightning has imported before does nothing any more.
    """
    for module, node in imports:
        for name in _modules(node):
            top = name.partition(".")[0]
            is_others = not (
                is_standard(name) or graph.module(name) or top in PACKAGES or top in BY_LIGHTNING
            )
            if is_others and (top in ACTING or _is_on_purpose(module, node)):
                yield name


def _modules(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module] if node.module and not node.level else []
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _is_on_purpose(module: Module, node: ast.stmt) -> bool:
    """Whether it says so of a module; names of one are imported for others to import them."""
    return isinstance(node, ast.Import) and ON_PURPOSE.search(module.lines[node.lineno - 1]) is not None
