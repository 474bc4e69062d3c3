"""Other names for what code refers to."""

from __future__ import annotations

import re
from collections.abc import Mapping

import libcst as cst

from .rewriting import rewritten


def renamed(code: str, names: Mapping[str, str]) -> str:
    """`code` with other names for its globals."""
    if not names or not code.strip():
        return code
    if names.keys().isdisjoint(re.findall(r"\w+", code)):
        return code + "\n"
    return rewritten(cst.parse_module(code + "\n"), _Rename(names)).code


class _Rename(cst.CSTTransformer):
    """Renames globals; parameters, fields and keywords of the same names stay."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.parameters: list[frozenset[str]] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.parameters.append(
            frozenset(param.name.value for param in (*node.params.params, *node.params.kwonly_params))
        )

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self.parameters.pop()
        is_dotted = isinstance(updated_node.name, cst.Attribute)
        return updated_node.with_changes(name=original_node.name) if is_dotted else updated_node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        new = self.names.get(updated_node.value)
        if new is None or any(updated_node.value in names for names in self.parameters):
            return updated_node
        return cst.parse_expression(new).with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar)

    def leave_AnnAssign(self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign) -> cst.AnnAssign:
        return updated_node if self.parameters else updated_node.with_changes(target=original_node.target)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return updated_node.with_changes(name=original_node.name)
