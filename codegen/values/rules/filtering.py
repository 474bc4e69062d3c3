"""Functions that give a mapping back without some of its entries, and the mappings within it as well."""

from __future__ import annotations

from functools import lru_cache

import libcst as cst

from ...index import patterns as m

ITEMS = m.Call(m.Attribute(attr=m.Name("items") | m.Name("items_ex")))
IS_MAPPING = m.Call(m.Name("isinstance"), [m.Arg(m.Name()), m.Arg()])
PAIR = m.Tuple([m.Element(m.Name()), m.Element(m.Name())])
KEPT = m.IfExp(
    test=IS_MAPPING, body=m.Call(m.Name(), [m.Arg(m.Name(), keyword=None, star=""), m.ZeroOrMore()])
)


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
    if not (is_one and isinstance(kept, cst.DictComp) and m.matches(kept.for_in.target, PAIR)):
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
    if not (m.matches(items, ITEMS) and m.matches(kept.key, m.Name(key)) and isinstance(told, cst.IfExp)):
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
