"""What a function, a class or a statement assigns to a variable or to an attribute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from ..index import patterns as m
from ..index.search import findall

BINDERS = m.Param() | m.Assign() | m.AnnAssign() | m.NamedExpr() | m.For() | m.CompFor() | m.AsName()


@dataclass(frozen=True)
class Binding:
    """One place where something is bound."""

    value: cst.BaseExpression | None  # None: it comes of a loop, a parameter, a `with`
    index: int | None = None  # the part of the value, where that is unpacked
    parts: int = 1

    @property
    def held(self) -> cst.BaseExpression | None:
        """What is bound, as far as it stands there."""
        if self.index is None:
            return self.value
        elements = self.value.elements if isinstance(self.value, cst.Tuple | cst.List) else ()
        is_plain = len(elements) == self.parts and all(isinstance(each, cst.Element) for each in elements)
        return elements[self.index].value if is_plain else None


def bindings(within: cst.CSTNode, holder: cst.BaseExpression) -> Iterator[Binding]:
    """Whatever is bound to a variable or an attribute."""
    for node in _binders(within):
        if isinstance(node, cst.Assign):
            for target in node.targets:
                yield from _bound(target.target, node.value, holder)
        elif isinstance(node, cst.AnnAssign):
            yield from _bound(node.target, node.value, holder) if node.value else ()
        elif isinstance(node, cst.NamedExpr):
            yield from _bound(node.target, node.value, holder)
        elif isinstance(node, cst.For | cst.CompFor):
            yield from _bound(node.target, None, holder)
        elif isinstance(node, cst.Param | cst.AsName):
            yield from _bound(node.name, None, holder)


def assignments(within: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Each target and its value, where a value is assigned: annotated or not, in a statement or an expression."""
    for node in findall(within, m.Assign() | m.AnnAssign() | m.NamedExpr()):
        if isinstance(node, cst.Assign):
            yield from ((each.target, node.value) for each in node.targets)
        elif isinstance(node, cst.AnnAssign | cst.NamedExpr) and node.value is not None:
            yield node.target, node.value


@lru_cache(maxsize=256)
def _binders(within: cst.CSTNode) -> Sequence[cst.CSTNode]:
    """Kept, for a long function is asked about each of its variables."""
    return findall(within, BINDERS)


def _is(target: cst.BaseExpression, holder: cst.BaseExpression) -> bool:
    if isinstance(target, cst.Name) and isinstance(holder, cst.Name):
        return target.value == holder.value
    return target.deep_equals(holder)


def _bound(
    target: cst.BaseExpression, value: cst.BaseExpression | None, holder: cst.BaseExpression
) -> Iterator[Binding]:
    if _is(target, holder):
        yield Binding(value)
    elif isinstance(target, cst.Tuple | cst.List):
        for index, element in enumerate(target.elements):
            if _is(element.value, holder) and isinstance(element, cst.Element):
                yield Binding(value, index, len(target.elements))
            else:
                yield from _bound(element.value, None, holder)
