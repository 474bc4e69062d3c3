"""Imports of Lightning's within branches and functions: a script does without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import libcst as cst

from ..index import patterns as m
from ..index.rewriting import rewritten
from ..index.search import findall
from ..lightning_api import PACKAGES


def without_lightning_imports(node: cst.BaseStatement) -> cst.BaseStatement:
    """The statement without the imports of Lightning's inside it."""
    imports = findall(node, m.Import() | m.ImportFrom())
    return rewritten(node, _Imports()) if any(map(_names_lightning, imports)) else node


def _names_lightning(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Import):
        return any(_is_lightnings(alias.name) for alias in node.names)
    return isinstance(node, cst.ImportFrom) and not node.relative and _is_lightnings(node.module)


def _is_lightnings(module: cst.Attribute | cst.Name | None) -> bool:
    while isinstance(module, cst.Attribute):
        module = cast(cst.Attribute | cst.Name, module.value)
    return module is not None and module.value in PACKAGES


class _Imports(cst.CSTTransformer):
    def leave_Import(
        self, original_node: cst.Import, updated_node: cst.Import
    ) -> cst.Import | cst.RemovalSentinel:
        kept: Sequence[cst.ImportAlias] = [
            alias for alias in updated_node.names if not _is_lightnings(alias.name)
        ]
        if not kept:
            return cst.RemoveFromParent()
        last = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(names=[*kept[:-1], last])

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom | cst.RemovalSentinel:
        return cst.RemoveFromParent() if _names_lightning(original_node) else updated_node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        if updated_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.parse_statement("pass")])
