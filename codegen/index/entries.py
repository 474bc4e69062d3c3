"""Comprehensions that take over entries of a mapping: `{k: v for k, v in given.items() if v is not None}`.

And functions that give a mapping back without some of its entries, and the mappings within it as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import libcst as cst

from . import patterns as m

NAMES = m.Tuple([m.Element(m.Name()), m.Element(m.Name())])
ITEMS = m.Call(m.Attribute(attr=m.Name("items")), [])
ONE_LOOP = m.CompFor(NAMES, ITEMS, inner_for_in=None, asynchronous=None)

ANY_ITEMS = m.Call(m.Attribute(attr=m.Name("items") | m.Name("items_ex")))
IS_MAPPING = m.Call(m.Name("isinstance"), [m.Arg(m.Name()), m.Arg()])
KEPT = m.IfExp(
    test=IS_MAPPING, body=m.Call(m.Name(), [m.Arg(m.Name(), keyword=None, star=""), m.ZeroOrMore()])
)

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


# ---- filtering functions ---------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def maker_of_filtered(function: cst.FunctionDef | cst.Lambda) -> cst.BaseExpression | None:
    """What makes the mapping of the entries that are kept, as `DictConfig`; None: the function does something else.

    `return DictConfig({k: f(v, fn) if isinstance(v, DictConfig) else v for k, v in d.items() if fn(k)})`
    """
    made = _returned(function) if isinstance(function, cst.FunctionDef) else None
    if made is None or not isinstance(function, cst.FunctionDef) or not function.params.params:
        return None
    kept = made.args[0].value if len(made.args) == 1 else None
    is_one = isinstance(kept, cst.DictComp) and kept.for_in.inner_for_in is None
    if not (is_one and isinstance(kept, cst.DictComp) and m.matches(kept.for_in.target, NAMES)):
        return None
    own = function.params.params[0].name.value
    return made.func if _keeps(kept, function.name.value, own) else None


def _returned(function: cst.FunctionDef) -> cst.Call | None:
    """The call whose result is all that a function comes to."""
    body = function.body.body
    last = body[-1] if body else None
    if isinstance(last, cst.SimpleStatementLine):
        last = last.body[0]
    is_alone = len(body) == 1 or (len(body) == 2 and function.get_docstring() is not None)
    value = last.value if is_alone and isinstance(last, cst.Return) else None
    return value if isinstance(value, cst.Call) else None


def _keeps(kept: cst.DictComp, function: str, owner: str) -> bool:
    """Whether entries of the owner stay what they are, and the function is called for mappings."""
    key, value = (cst.ensure_type(each.value, cst.Name).value for each in _pair(kept))
    items, told = kept.for_in.iter, kept.value
    if not (m.matches(items, ANY_ITEMS) and m.matches(kept.key, m.Name(key)) and isinstance(told, cst.IfExp)):
        return False
    of = cst.ensure_type(cst.ensure_type(items, cst.Call).func, cst.Attribute).value
    if not (m.matches(of, m.Name(owner)) and m.matches(told, KEPT)):
        return False
    asked = cst.ensure_type(told.test, cst.Call).args[0].value
    again = cst.ensure_type(told.body, cst.Call)
    names = (asked, again.args[0].value, told.orelse)
    return all(m.matches(each, m.Name(value)) for each in names) and m.matches(again.func, m.Name(function))


def _pair(kept: cst.DictComp) -> tuple[cst.BaseElement, ...]:
    return tuple(cst.ensure_type(kept.for_in.target, cst.Tuple).elements)
