"""What the user's code has rank 0 do for all, with Lightning's functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import libcst as cst

from ...index.rewriting import visit
from ...ir.project import Project, Statement
from ...ir.rewrites import Rewrites

ONLY = "rank_zero_only"
SAYING = frozenset("rank_zero_info rank_zero_warn rank_zero_debug".split())
"""Functions of Lightning's that the script has under the same names."""


@dataclass(frozen=True)
class RankZero:
    """Where the program uses these functions."""

    names: tuple[tuple[cst.BaseExpression, str], ...] = ()
    ranks: tuple[cst.Attribute, ...] = ()  # `rank_zero_only.rank`

    @property
    def translated(self) -> frozenset[cst.CSTNode]:
        return frozenset({*(node for node, _ in self.names), *self.ranks})

    @property
    def attributes(self) -> tuple[tuple[cst.Attribute, str], ...]:
        """With the code that takes their place."""
        return tuple((attribute, "ranks_from_env().rank") for attribute in self.ranks)


def rank_zero(project: Project, statements: Iterable[Statement]) -> RankZero:
    """The uses in the statements, other than of `rank_zero_only` as a value that is asked for its rank unseen."""
    finder = _Finder(project)
    for statement in statements:
        visit(statement.node, finder)
    return RankZero(tuple(finder.names), tuple(finder.ranks))


def with_functions(rewrites: Rewrites, found: RankZero) -> Rewrites:
    """The rewrites, and the script's functions for Lightning's."""
    return replace(
        rewrites, names=rewrites.names + found.names, attributes=rewrites.attributes + found.attributes
    )


class _Finder(cst.CSTVisitor):
    def __init__(self, project: Project) -> None:
        self.project = project
        self.names: list[tuple[cst.BaseExpression, str]] = []
        self.ranks: list[cst.Attribute] = []

    def visit_Decorator(self, node: cst.Decorator) -> None:
        self._note(node.decorator, ONLY)

    def visit_Call(self, node: cst.Call) -> None:
        self._note(node.func, ONLY)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        if node.attr.value == "rank" and self.project.lightning_name(node.value) == ONLY:
            self.ranks.append(node)
            return False
        self._note(node, *SAYING)
        visit(node.value, self)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        self._note(node, *SAYING)

    def visit_Arg(self, node: cst.Arg) -> bool:
        visit(node.value, self)
        return False

    def _note(self, node: cst.BaseExpression, *wanted: str) -> None:
        name = self.project.lightning_name(node)
        if name in wanted:
            self.names.append((node, name))
