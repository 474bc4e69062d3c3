"""Classes that code enters in tables, under names by which something is made of them later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...values import BoundMethod, Function, Sequence, Value, values_of

ASKING = m.Call(m.Name("getattr") | m.Name("hasattr") | m.Name("isinstance") | m.Name("issubclass"))


@dataclass(frozen=True)
class Entered:
    """Tells which of the names of classes only enter these, where nothing else is asked of them than objects."""

    project: Project

    def __contains__(self, node: cst.BaseExpression) -> bool:
        return self._is_entered(node) and self._asked.isdisjoint(values_of(self.project).of(node))

    def _is_entered(self, node: cst.BaseExpression) -> bool:
        """Whether it stands in a table, or is given to what enters it in one: `register("bar")(Bar)`."""
        index, values = self.project.index, values_of(self.project)
        above = index.parent(node)
        if isinstance(above, cst.DictElement):
            return above.value is node
        call = index.parent(above) if isinstance(above, cst.Arg) and not above.star else None
        if not isinstance(call, cst.Call) or not isinstance(index.parent(call), cst.Expr):
            return False
        called = [*values.callees(call)]
        return bool(called) and all(isinstance(each, Function | BoundMethod) for each in called)

    @cached_property
    def _asked(self) -> set[Value]:
        """What is asked for attributes, for what derives from it, or whether it is the same as another."""
        values, found = values_of(self.project), set[Value]()
        for node in self._questions():
            for each in values.of(node):
                found |= {each, *(values.elements(each) if isinstance(each, Sequence) else ())}
        return found

    def _questions(self) -> Iterator[cst.BaseExpression]:
        index = self.project.index
        yield from (each.value for each in index.of_kind(cst.Attribute))
        for call in index.of_kind(cst.Call):
            yield from (each.value for each in call.args) if m.matches(call, ASKING) else ()
        for comparison in index.of_kind(cst.Comparison):
            yield from (comparison.left, *(each.comparator for each in comparison.comparisons))
