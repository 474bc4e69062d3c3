"""What a run that goes on within an epoch goes on with, and what cannot: `every_n_steps` and `every` of the spec."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .. import messages
from ..diagnostics import Diagnostic
from ..index import patterns as m
from ..lightning import api
from .facts import Facts

LEAVING, STEPS, TIME = "preemption", "checkpoint.every_n_steps", "checkpoint.every"

CHANGING = frozenset(
    "add append appendleft clear discard extend insert pop popitem remove setdefault sort update".split()
)
"""Methods of containers that change them."""


def check_within_epochs(facts: Facts) -> Iterator[Diagnostic]:
    """By what the code and the Trainer's settings do within an epoch."""
    if facts.may_leave and not facts.writes_last:
        yield messages.leaves_without_checkpoint(facts.loaded.key_place(LEAVING))
    if not facts.writes_last_within:
        return
    options = facts.loaded.spec.checkpoint
    by_steps = options is not None and options.every_n_steps is not None
    place = facts.loaded.key_place(LEAVING if facts.may_leave else STEPS if by_steps else TIME)
    for name, is_asked in facts.in_the_way_within_epochs.items():
        if is_asked:
            yield messages.not_within_epochs(place, name)


def check_saved_by_validations(facts: Facts) -> Iterator[Diagnostic]:
    """Checkpoints of validations within epochs, from which no run goes on, where `fit` may be given one."""
    by_validations = (
        facts.callbacks.saves and facts.validates_inside and not facts.settings.validates_by_epoch
    )
    if facts.own_main is None or facts.saves_within or not by_validations:
        return
    for given in (fit.expression("ckpt_path") for fit in facts.own_main.fits):
        if given is not None and not m.matches(given, m.Name("None")):
            yield messages.saved_by_validations((facts.project.source, given))


def changed_in_batches(facts: Facts) -> tuple[str, ...]:
    """Attributes of the model's that its code changes between an epoch's start and its end."""
    hooks = api.STEP_HOOKS | (api.VALIDATION_HOOKS if facts.validates_inside else frozenset())
    methods = set[str]().union(*map(facts.usage.reached_from, hooks))
    writes = facts.usage.writes.items()
    changes = {name for name, nodes in writes if any(_is_in(facts, node, methods) for node in nodes)}
    for name, nodes in facts.usage.reads.items():
        if any(_is_changed(facts, node) and _is_in(facts, node, methods) for node in nodes):
            changes.add(name)
    return tuple(sorted(changes))


def _is_in(facts: Facts, node: cst.CSTNode, methods: set[str]) -> bool:
    function = facts.project.index.function_of(node)
    return function is not None and function.name.value in methods


def _is_changed(facts: Facts, node: cst.CSTNode) -> bool:
    """Whether a method that changes it is asked for, or a part of it is set."""
    index = facts.project.index
    parent = index.parent(node)
    if isinstance(parent, cst.Attribute):
        return parent.value is node and parent.attr.value in CHANGING
    if not isinstance(parent, cst.Subscript) or parent.value is not node:
        return False
    owner = index.parent(parent)
    return isinstance(owner, cst.AssignTarget) or (
        isinstance(owner, cst.AugAssign) and owner.target is parent
    )
