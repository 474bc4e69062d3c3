"""What a metaclass's `__call__` saves of the objects that it makes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..index import patterns as m
from .project import Class

TYPES = frozenset({"type", "ABCMeta", "abc.ABCMeta"})
"""What makes classes, and leaves them as they are written."""

SETS = "_set_hparams"
SAVES = m.Expr(m.Call(m.Attribute(m.Name(), m.Name(SETS) | m.Name("save_hyperparameters"))))
HPARAMS = m.Attribute(m.Name(), m.Name("_hparams") | m.Name("hparams"))
COPY = m.Call(m.Name("deepcopy") | m.Attribute(m.Name("copy"), m.Name("deepcopy")), [m.Arg(HPARAMS)])
INITIAL = m.Assign([m.AssignTarget(m.Attribute(m.Name(), m.Name("_hparams_initial")))], COPY)


def makes_objects(cls: Class) -> bool:
    """Whether a metaclass has a say in what calling a class does."""
    return cls.metaclass is not None and "__call__" in cls.metaclass.methods


def saved_by_metaclass(cls: Class) -> list[cst.Call]:
    """The calls that save what a class's objects are told, once they are made."""
    parts = cls.metaclass.lineage if cls.metaclass is not None else ()
    return [cst.ensure_type(each.value, cst.Call) for part in reversed(parts) for each in calls_saving(part)]


def calls_saving(metaclass: Class) -> Iterator[cst.Expr]:
    """The statements of its own `__call__` that save, under no condition, with one object."""
    for each in _plain(metaclass):
        if isinstance(each, cst.Expr) and m.matches(each, SAVES) and _is_of_object(each):
            yield each


def kept_initially(metaclass: Class) -> Iterator[cst.Assign]:
    """Those that keep what is saved, as it is then."""
    for each in _plain(metaclass):
        if isinstance(each, cst.Assign) and m.matches(each, INITIAL):
            yield each


def _plain(metaclass: Class) -> Iterator[cst.BaseSmallStatement]:
    """The statements of its `__call__` that run in any case."""
    method = metaclass.own_methods.get("__call__")
    for line in method.body.body if method else ():
        if isinstance(line, cst.SimpleStatementLine):
            yield from line.body


def _is_of_object(statement: cst.Expr) -> bool:
    """Whether a call saves one object, and what else it is told is written out."""
    call = cst.ensure_type(statement.value, cst.Call)
    if not call.args:
        return False
    first, *rest = call.args
    if first.keyword or first.star or isinstance(first.value, cst.SimpleString):
        return False
    if sets_alone(call):
        return not rest
    silent = m.Arg(keyword=m.Name("logger"), value=m.Name("False") | m.Name("True"))
    return all(m.matches(each, silent) for each in rest)


def sets_alone(call: cst.Call) -> bool:
    """Whether it sets hyperparameters, and does not say that they are saved."""
    return cst.ensure_type(call.func, cst.Attribute).attr.value == SETS
