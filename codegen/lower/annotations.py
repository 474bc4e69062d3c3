"""Lightning's types in annotations and in names of types, replaced by Any."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import cast

import libcst as cst

from ..index.rewriting import rewritten
from ..index.search import code_for
from ..ir.project import Project
from ..ir.types import LITERAL, is_type


def without_lightning_types(
    project: Project, node: cst.BaseStatement, names: Mapping[str, str], kept: Container[str]
) -> cst.BaseStatement:
    """The statement, in whose annotations no type of Lightning's stands but those that the script has too."""
    return rewritten(node, _Annotations(project, names, kept))


class _Annotations(cst.CSTTransformer):
    def __init__(self, project: Project, names: Mapping[str, str], kept: Container[str]) -> None:
        self.project, self.names, self.kept = project, names, kept
        self.depth = 0

    def visit_Annotation(self, node: cst.Annotation) -> None:
        self.depth += 1

    def leave_Annotation(self, original_node: cst.Annotation, updated_node: cst.Annotation) -> cst.Annotation:
        self.depth -= 1
        return updated_node

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        return self.project.qualified(node.value) not in LITERAL

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._replaced(original_node) or updated_node

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        return self._replaced(original_node) or updated_node.with_changes(attr=original_node.attr)

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.BaseExpression:
        """A quoted annotation."""
        if not self._is_told(original_node):
            return updated_node
        try:
            quoted = cst.parse_expression(str(original_node.evaluated_value))
        except cst.ParserSyntaxError:
            return updated_node
        types = _Annotations(self.project, self.names, kept=())
        types.depth = 1
        inner = code_for(cast(cst.CSTNode, rewritten(quoted, types)))
        changed = inner != original_node.evaluated_value
        return updated_node.with_changes(value=f'"{inner}"') if changed else updated_node

    def _replaced(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """The script's own type of the name, where it has one, else Any."""
        name = self.project.lightning_name(node)
        if name is None or not self._is_told(node):
            return None
        return cst.Name(self.names.get(name, name) if name in self.kept else self.names["Any"])

    def _is_told(self, node: cst.BaseExpression) -> bool:
        return bool(self.depth) or (node in self.project.index and is_type(self.project, node))
