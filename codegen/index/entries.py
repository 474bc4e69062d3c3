"""Comprehensions that take over entries of a mapping: `{k: v for k, v in given.items() if v is not None}`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from . import patterns as m

NAMES = m.Tuple([m.Element(m.Name()), m.Element(m.Name())])
ITEMS = m.Call(m.Attribute(attr=m.Name("items")), [])
ONE_LOOP = m.CompFor(NAMES, ITEMS, inner_for_in=None, asynchronous=None)

NAMED_KEY = m.Comparison(m.Name(), [m.ComparisonTarget(m.Equal() | m.NotEqual(), m.SimpleString())])
TEXTS = [m.ZeroOrMore(m.Element(m.SimpleString()))]
SEVERAL = m.Tuple(TEXTS) | m.List(TEXTS) | m.Set(TEXTS)
NAMED_KEYS = m.Comparison(m.Name(), [m.ComparisonTarget(m.In() | m.NotIn(), SEVERAL)])
NO_NONE = m.Comparison(m.Name(), [m.ComparisonTarget(m.IsNot() | m.NotEqual(), m.Name("None"))])


@dataclass(frozen=True)
class Entries:
    """Those entries of a mapping that another one takes over."""

    mapping: cst.BaseExpression | None = None
    named: frozenset[object] | None = None  # none but these
    left_out: frozenset[object] = frozenset()
    leaves_none: bool = False  # out
    leaves_false: bool = False  # whatever counts as false
    is_read: bool = True  # there is no other condition

    def has(self, key: object) -> bool:
        """Whether the entry with a key may be among them."""
        return (self.named is None or key in self.named) and key not in self.left_out

    def leaves(self, value: object) -> bool:
        """Whether an entry is left out because of its value."""
        return (self.leaves_none and value is None) or (self.leaves_false and not value)


ALL = Entries()


def entries_of(node: cst.CSTNode | None) -> Entries | None:
    """What a comprehension takes over; None: it does something else."""
    if not isinstance(node, cst.DictComp | cst.GeneratorExp | cst.ListComp):
        return None
    loop, pair = node.for_in, _made(node)
    if not m.matches(loop, ONE_LOOP):
        return None
    key, value = (cst.ensure_type(each.value, cst.Name).value for each in loop.target.elements)  # type: ignore[attr-defined]  # a Tuple
    if key == value or not all(map(m.matches, pair, (m.Name(key), m.Name(value)))):
        return None
    items = cst.ensure_type(cst.ensure_type(loop.iter, cst.Call).func, cst.Attribute)
    found = Entries(items.value)
    for condition in (part for each in loop.ifs for part in _parts(each.test)):
        found = _narrowed(found, condition, key, value)
    return found


def _made(node: cst.DictComp | cst.GeneratorExp | cst.ListComp) -> tuple[cst.CSTNode, cst.CSTNode]:
    """The key and the value that each turn gives."""
    if isinstance(node, cst.DictComp):
        return node.key, node.value
    pair = [each.value for each in node.elt.elements] if isinstance(node.elt, cst.Tuple) else []
    return (pair[0], pair[1]) if len(pair) == 2 else (node, node)


def _parts(condition: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The conditions all of which have to hold."""
    if isinstance(condition, cst.BooleanOperation) and isinstance(condition.operator, cst.And):
        yield from _parts(condition.left)
        yield from _parts(condition.right)
    else:
        yield condition


def _narrowed(entries: Entries, condition: cst.BaseExpression, key: str, value: str) -> Entries:
    """The entries for which a condition holds, too."""
    if m.matches(condition, m.Name(value)):
        return replace(entries, leaves_false=True)
    asked = condition.left if isinstance(condition, cst.Comparison) else None
    if m.matches(asked, m.Name(value)) and m.matches(condition, NO_NONE):
        return replace(entries, leaves_none=True)
    if m.matches(asked, m.Name(key)) and m.matches(condition, NAMED_KEY | NAMED_KEYS):
        return _named(entries, cst.ensure_type(condition, cst.Comparison).comparisons[0])
    return replace(entries, is_read=False)


def _named(entries: Entries, asked: cst.ComparisonTarget) -> Entries:
    """The entries with keys that are written out, or with others."""
    one = asked.comparator
    texts = [one] if isinstance(one, cst.SimpleString) else [each.value for each in one.elements]  # type: ignore[attr-defined]  # a display
    keys = frozenset(each.evaluated_value for each in texts)
    if isinstance(asked.operator, cst.NotEqual | cst.NotIn):
        return replace(entries, left_out=entries.left_out | keys)
    return replace(entries, named=keys if entries.named is None else entries.named & keys)
