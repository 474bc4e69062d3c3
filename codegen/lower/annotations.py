"""Lightning's types in annotations, replaced by Any."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import cast

import libcst as cst

from ..index.rewriting import rewritten
from ..index.search import code_for
from ..ir.project import CASTS, Project


def without_lightning_types(
    project: Project, node: cst.BaseStatement, names: Mapping[str, str], kept: Container[str]
) -> cst.BaseStatement:
    """The statement, in whose annotations no type of Lightning's stands but those that the script has too."""
    return rewritten(node, _Annotations(project, names["Any"], kept))


class _Annotations(cst.CSTTransformer):
    def __init__(self, project: Project, any_name: str, kept: Container[str]) -> None:
        self.project, self.any_name, self.kept = project, any_name, kept
        self.depth = 0
        self.types = set[cst.Arg]()  # that `typing.cast` is told

    def visit_Annotation(self, node: cst.Annotation) -> None:
        self.depth += 1

    def leave_Annotation(self, original_node: cst.Annotation, updated_node: cst.Annotation) -> cst.Annotation:
        self.depth -= 1
        return updated_node

    def visit_Call(self, node: cst.Call) -> None:
        if self.project.qualified(node.func) in CASTS and node.args:
            self.types.add(node.args[0])

    def visit_Arg(self, node: cst.Arg) -> None:
        self.depth += node in self.types

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        self.depth -= original_node in self.types
        return updated_node

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
        if not self.depth:
            return updated_node
        try:
            quoted = cst.parse_expression(str(original_node.evaluated_value))
        except cst.ParserSyntaxError:
            return updated_node
        types = _Annotations(self.project, self.any_name, kept=())
        types.depth = 1
        inner = code_for(cast(cst.CSTNode, rewritten(quoted, types)))
        changed = inner != original_node.evaluated_value
        return updated_node.with_changes(value=f'"{inner}"') if changed else updated_node

    def _replaced(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        name = self.project.lightning_name(node) if self.depth else None
        return None if name is None or name in self.kept else cst.Name(self.any_name)
