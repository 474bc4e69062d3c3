"""Code that keeps a backward of its own from the other ranks, where DDP wraps the model: `model.no_sync()`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ...index import Index
from ...index import patterns as m
from ..code.literals import code_of

HAS = m.Name("hasattr")
HAS_MODEL = m.Call(HAS, [m.Arg(), m.Arg(m.SimpleString("'model'") | m.SimpleString('"model"'))])
HAS_NO_SYNC = m.Call(HAS, [m.Arg(), m.Arg(m.SimpleString("'no_sync'") | m.SimpleString('"no_sync"'))])

WHOLE = (cst.Assign, cst.BooleanOperation, cst.If, cst.IfExp)
"""What a comparison stands in as it is."""

Asked = tuple[cst.BaseExpression, str]
"""What is asked of a wrapper, and what is asked of the script's strategy instead, in code."""


def wrapper_asked(index: Index, strategy: cst.BaseExpression) -> Asked | None:
    """What is asked of the wrapped model by way of an expression that gives a strategy; None: something else is."""
    above = index.parent(strategy)
    if (call := _asks(index, above, HAS_MODEL)) is not None:
        return call, "True"
    if not m.matches(above, m.Attribute(attr=m.Name("model"))):
        return None
    outer = index.parent(above) if above else None
    if (call := _asks(index, outer, HAS_NO_SYNC)) is not None:
        is_whole = isinstance(index.parent(call), WHOLE)
        return (call, f"{code_of(strategy)}.world_size > 1") if is_whole else None
    context = index.parent(outer) if m.matches(outer, m.Attribute(attr=m.Name("no_sync"))) and outer else None
    is_called = isinstance(context, cst.Call) and context.func is outer and not context.args
    return (
        (context, f"{code_of(strategy)}.unsynced()") if is_called and isinstance(context, cst.Call) else None
    )


def _asks(index: Index, argument: cst.CSTNode | None, question: m.Pattern) -> cst.Call | None:
    """The call that an argument is the first of, where it asks that question."""
    call = index.parent(argument) if isinstance(argument, cst.Arg) else None
    is_it = isinstance(call, cst.Call) and m.matches(call, question) and call.args[0] is argument
    return call if is_it and isinstance(call, cst.Call) else None


def wrappers_asked(index: Index, strategies: Iterable[cst.BaseExpression]) -> Iterator[Asked]:
    """The same of all expressions that give strategies."""
    found = (wrapper_asked(index, each) for each in strategies)
    yield from (each for each in found if each is not None)
