"""Reaching definitions: which binding of a variable is the one that a use sees, where just one can be."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from ..index import Binding, Index

PLAIN = (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.FunctionDef, cst.ClassDef, cst.ImportAlias)
"""What surely binds when it is run."""

AFTER = (cst.Assign, cst.AnnAssign, cst.AugAssign)
"""What binds once its own expressions have been evaluated."""


class Reaching:
    """Tells uses of variables that are bound several times from each other."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def binding(self, name: cst.Name) -> Binding | None:
        """The one binding that a use sees; None: it may see several.

        It is the last one above the use, in a block that holds the use too, and nothing between the two binds the
        variable again, be it in another turn of a loop.
        """
        variable = self._index.variable(name)
        if variable is None or len(variable.bindings) < 2 or self._index.scope_of(name) is not variable.scope:
            return None
        if variable.scope.kind == "class" or (variable.scope.parent is None and self._has_open_globals):
            return None
        if any(self._index.scope_of(each.node) is not variable.scope for each in variable.bindings):
            return None  # it is bound from other functions, too
        above = [each for each in variable.bindings if self._is_above(each, name)]
        last = max(above, key=lambda each: self._index.order(each.node), default=None)
        return last if last and self._is_seen(last, name) else None

    @cached_property
    def _has_open_globals(self) -> bool:
        """Whether code may bind global variables in ways that are not plain to see."""
        names = self._index.module.variables
        return any(names[each].uses for each in ("globals", "exec", "vars", "locals") if each in names)

    def _is_above(self, binding: Binding, name: cst.Name) -> bool:
        is_after = isinstance(binding.by, AFTER) and self._index.holds(binding.by, name)
        return not is_after and self._index.order(binding.node) < self._index.order(name)

    def _is_seen(self, binding: Binding, name: cst.Name) -> bool:
        if not isinstance(binding.by, PLAIN) or getattr(binding.by, "value", True) is None:
            return False
        block = self._index.parent(self._statement(binding.by))
        if block is not None and not self._index.holds(block, name):
            return False
        statement = self._statement_in(block, name)
        is_simple = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
        inside = [each for each in binding.variable.bindings if self._index.holds(statement, each.node)]
        if is_simple:
            return not any(isinstance(each.by, cst.NamedExpr) for each in inside)
        return all(each is binding for each in inside) and not self._index.holds(statement, binding.node)

    def _statement(self, node: cst.CSTNode) -> cst.CSTNode:
        """The statement that a node is part of, in the nearest block."""
        while (parent := self._index.parent(node)) and not isinstance(parent, cst.IndentedBlock):
            node = parent
        return node

    def _statement_in(self, block: cst.CSTNode | None, node: cst.CSTNode) -> cst.CSTNode:
        """The statement of a block that a node is part of; the module's, where that is None."""
        while (parent := self._index.parent(node)) is not block and parent is not None:
            node = parent
        return node
