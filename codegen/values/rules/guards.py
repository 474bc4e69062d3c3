"""What code is run only where a mapping has a key: `if "key" in mapping`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ...index.scope import Variable

ASKED = m.Comparison(m.SimpleString(), [m.ComparisonTarget(m.In() | m.NotIn(), m.Name())])

SIMPLE = (cst.ListComp, cst.SetComp, cst.GeneratorExp)
"""Comprehensions that make one value in each turn."""

LEAVING = (cst.Continue, cst.Return, cst.Raise)
"""Statements after which what follows in a block is not run."""


@dataclass(frozen=True)
class _Question:
    """Whether a mapping has a key."""

    node: cst.Comparison
    key: str

    @property
    def is_denied(self) -> bool:
        return isinstance(self.node.comparisons[0].operator, cst.NotIn)


class Guards:
    """Tells of uses of variables which keys the mapping has that they stand for."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._asked: dict[Variable, list[_Question]] = {}
        for node in index.of_kind(cst.Comparison):
            if m.matches(node, ASKED):
                key = cst.ensure_type(node.left, cst.SimpleString).evaluated_value
                variable = index.variable(cst.ensure_type(node.comparisons[0].comparator, cst.Name))
                if variable is not None and isinstance(key, str):
                    self._asked.setdefault(variable, []).append(_Question(node, key))

    def keys(self, name: cst.Name) -> Iterator[str]:
        """The keys of which it has been asked, on every way to a use, and that were there."""
        variable = self._index.variable(name)
        for question in self._asked.get(variable, ()) if variable else ():
            guarded = self._guarded(question)
            if any(self._index.holds(each, name) for each in guarded) and not self._is_bound(
                variable, guarded, name
            ):
                yield question.key

    def _guarded(self, question: _Question) -> list[cst.CSTNode]:
        """The code that is run only where the key is there."""
        test = self._whole(question)
        above = self._index.parent(test)
        if isinstance(above, cst.If | cst.IfExp) and above.test is test:
            if not question.is_denied:
                return [above.body]
            return self._behind(above) if above.orelse is None else [above.orelse]
        if isinstance(above, cst.CompIf) and not question.is_denied:
            return self._made(above)
        return []

    def _whole(self, question: _Question) -> cst.CSTNode:
        """The condition that holds only where all parts of it do; of a denial, where one of them does."""
        node, kind = question.node, cst.Or if question.is_denied else cst.And
        whole: cst.CSTNode = node
        while isinstance(above := self._index.parent(whole), cst.BooleanOperation):
            if not isinstance(above.operator, kind):
                break
            whole = above
        return whole

    def _behind(self, branching: cst.CSTNode) -> list[cst.CSTNode]:
        """The statements of a block that follow one which leaves it."""
        block = self._index.parent(branching)
        if not isinstance(branching, cst.If) or not isinstance(block, cst.IndentedBlock):
            return []
        last = branching.body.body[-1] if branching.body.body else None
        leaves = isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], LEAVING)
        return list(block.body[block.body.index(branching) + 1 :]) if leaves else []

    def _made(self, condition: cst.CompIf) -> list[cst.CSTNode]:
        """What a comprehension makes."""
        comprehension = self._index.ancestor(
            condition, cst.ListComp, cst.SetComp, cst.GeneratorExp, cst.DictComp
        )
        if isinstance(comprehension, cst.DictComp):
            return [comprehension.key, comprehension.value]
        return [comprehension.elt] if isinstance(comprehension, SIMPLE) else []

    def _is_bound(self, variable: Variable | None, guarded: list[cst.CSTNode], name: cst.Name) -> bool:
        """Whether the variable may stand for something else by then."""
        bindings = variable.bindings if variable else []
        scopes = {self._index.scope_of(each.node) for each in bindings}
        is_own = scopes == {self._index.scope_of(name)} and all(each.is_function for each in scopes)
        return not is_own or any(self._index.holds(code, each.node) for code in guarded for each in bindings)
