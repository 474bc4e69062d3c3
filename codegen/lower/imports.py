"""Imports of Lightning's within branches and functions: a script does without."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ..index import patterns as m
from ..index.rewriting import rewritten
from ..index.search import code_for, findall
from ..lightning.api import is_lightnings


def without_lightning_imports(node: cst.BaseStatement, own_modules: frozenset[str]) -> cst.BaseStatement:
    """The statement without the imports of Lightning's inside it; `own_modules` are the project's."""
    imports, removal = findall(node, m.Import() | m.ImportFrom()), _Imports(own_modules)
    return rewritten(node, removal) if any(map(removal.removes, imports)) else node


class _Imports(cst.CSTTransformer):
    def __init__(self, own_modules: frozenset[str]) -> None:
        self.own_modules = own_modules

    def removes(self, node: cst.CSTNode) -> bool:
        """Whether a part of an import, or all of it, is Lightning's."""
        if isinstance(node, cst.Import):
            return any(self._is_lightnings(alias.name) for alias in node.names)
        if not isinstance(node, cst.ImportFrom) or node.relative or not node.module:
            return False
        names = () if isinstance(node.names, cst.ImportStar) else node.names
        return any(self._is_lightnings(node.module, alias.name) for alias in names) or self._is_lightnings(
            node.module
        )

    def _is_lightnings(self, module: cst.BaseExpression, name: cst.BaseExpression | None = None) -> bool:
        dotted = code_for(module)
        is_own = dotted in self.own_modules
        return not is_own and is_lightnings(f"{dotted}.{code_for(name)}" if name else dotted)

    def leave_Import(
        self, original_node: cst.Import, updated_node: cst.Import
    ) -> cst.Import | cst.RemovalSentinel:
        kept: Sequence[cst.ImportAlias] = [
            alias for alias in updated_node.names if not self._is_lightnings(alias.name)
        ]
        if not kept:
            return cst.RemoveFromParent()
        last = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(names=[*kept[:-1], last])

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom | cst.RemovalSentinel:
        return cst.RemoveFromParent() if self.removes(original_node) else updated_node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        if updated_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.parse_statement("pass")])
