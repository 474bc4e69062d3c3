"""The callbacks that Trainers of a main are given: each has to be of a class that the script has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from ... import messages
from ...diagnostics import Diagnostic
from ...ir.project import Project
from ...lightning import api
from ...values import (
    Class,
    Dict,
    External,
    Instance,
    Literal,
    Member,
    Option,
    Partial,
    Sequence,
    Unknown,
    Value,
    Values,
    ValueSet,
    reason_of,
    values_of,
)
from ..trainer.unpacked_mappings import is_replaced
from .loaded_data import is_data

ALWAYS_CALLED = frozenset("""
    on_train_start on_train_epoch_start on_train_batch_start on_train_batch_end on_train_epoch_end on_train_end
    """.split())
"""Hooks that each training calls of all callbacks."""

MODULES = "torch.nn."

CALLBACKS = "callbacks"

ANSWERING = frozenset({"__getattr__", "__getattribute__"})
"""Methods by which an object may have any hook."""


def check_given(project: Project, trainers: Iterable[cst.Call]) -> Iterator[Diagnostic]:
    """Callbacks of which it cannot be told what they do, so that the script would hold them and never call them."""
    values = values_of(project)
    for call in trainers:
        given = values.arguments(call, ()).get(CALLBACKS)
        known = [each for each in given.values if not _is_replaced(project, call, each)] if given else []
        found = dict.fromkeys(_callbacks(values, ValueSet(tuple(known))))
        if any(_has(values, each, ALWAYS_CALLED) for each in found if _is_callback(values, each)):
            found = {
                each: None for each in found if not (is_data(project, each) or _has_no_hooks(values, each))
            }
        for place, reason in dict.fromkeys((_place(each, call), _unread(project, each)) for each in found):
            if reason:
                yield messages.callback_unread((project.source, place), reason)


def _is_replaced(project: Project, trainer: cst.Call, value: Value) -> bool:
    """Whether it is what a mapping holds in the place of callbacks before code puts others there."""
    mappings = [each.value for each in trainer.args if each.star == "**"]
    held = [(each, found) for each in mappings for found in values_of(project).of(each)]
    return isinstance(value, Dict) and any(
        isinstance(found, Dict)
        and project.index.holds(found.node, value.node)
        and is_replaced(project, mapping, CALLBACKS, trainer)
        for mapping, found in held
    )


def _callbacks(values: Values, given: ValueSet) -> Iterator[Value]:
    """Those of a list, or the one that is given without; a setting that is None when building is no object later."""
    known = given.without_none if given.may_be_none else ValueSet(())
    for value in () if known.values and all(isinstance(each, Option) for each in known) else given:
        if isinstance(value, Sequence):
            yield from values.elements(value).without_none
        elif not isinstance(value, Literal):
            yield value


def _is_callback(values: Values, value: Value) -> bool:
    cls = value.cls if isinstance(value, Instance) else None
    return isinstance(cls, Class) and not api.CALLBACKS.keys().isdisjoint(values.lightning_names(cls))


def _has_no_hooks(values: Values, value: Value) -> bool:
    """Whether a training surely ends at an object, the script's as Lightning's, where it calls a hook of it."""
    cls = value.cls if isinstance(value, Instance) else None
    if isinstance(cls, External):
        return cls.name.startswith(MODULES) and not cls.is_local
    if not isinstance(cls, Class) or not values.knows_bases(cls):
        return False
    are_torchs = all(each.name.startswith(MODULES) for each in values.library_bases(cls))
    return are_torchs and not _has(values, value, api.CALLBACK_HOOKS | ANSWERING)


def _has(values: Values, value: Value, names: Iterable[str]) -> bool:
    """Whether a class of the user's defines, for its objects, something of one of these names."""
    cls = value.cls if isinstance(value, Instance) else None
    lineage = values.bases(cls) if isinstance(cls, Class) else []
    scopes = [values.index.inner_scope(each.node) for each in lineage if isinstance(each, Class)]
    return any(scope.bindings(name) for scope in scopes for name in names)


def _unread(project: Project, value: Value) -> str:
    """Why it cannot be read what a callback does; empty: it can."""
    if isinstance(value, Unknown | Option):
        return reason_of(value)
    if isinstance(value, Partial):
        return ""  # of which Lightning would find no hooks either
    cls = value.cls if isinstance(value, Instance) else None
    if cls is None:
        return "it is no object"
    if isinstance(cls, Member):
        return reason_of(value)
    if values_of(project).lightning_names(cls):
        return ""
    is_named = isinstance(cls, Class) or (isinstance(cls, External) and not cls.is_local)
    name = cls.name if is_named else _called(project, value)
    if name.startswith(api.HOOKS_SET):
        return f"the hooks of `{name}` are set by `setattr` once its class is made, so that none stands in its code"
    return f"`{name}` is none of Lightning's callbacks, and it cannot be read that it makes one"


def _called(project: Project, value: Value) -> str:
    node = getattr(value, "node", None)
    return project.source.as_written(node.func) if isinstance(node, cst.Call) else "this"


def _place(value: Value, trainer: cst.Call) -> cst.CSTNode:
    """Where the callback is made, or, where that cannot be told, the Trainer."""
    node = getattr(value, "node", None)
    return node if isinstance(node, cst.BaseExpression) else trainer
