"""Calls of `seed_everything` in a main that stays the user's, and what they say of loaders' workers."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from ...index import patterns as m
from ...ir.project import Project
from ...ir.rewrites import OBJECT, Rewrite, Slot
from ...values import Literal, Option, Unknown, Value, may_be_no_integer, may_be_none, values_of

SEED_PARAMETERS = ("seed", "workers")
GLOBAL = "{global_seed}()"


def seeds_workers(project: Project, call: cst.Call) -> bool | None:
    """Whether loaders' workers get seeds of their own; None: that is known only when the code runs."""
    arguments = values_of(project).arguments(call, SEED_PARAMETERS)
    given = arguments.get("workers")
    if given is None:
        return None if arguments.unknown else False
    literal = given.values.literal
    return bool(literal.value) if literal else None


def seed_rewrite(project: Project, call: cst.Call, asks_for_workers: bool) -> Rewrite:
    """`seed_everything(...)` with its seed, and with what it says of workers where a run asks for that.

    Without a seed it is the environment's.
    """
    names = SEED_PARAMETERS if asks_for_workers else SEED_PARAMETERS[:1]
    slots = [
        Slot(argument.keyword.value if argument.keyword else None, index)
        for index, argument in enumerate(call.args)
        if (argument.keyword.value in names if argument.keyword else index < len(names) or argument.star)
    ]
    slots = [_seed(project, call, slot) if slot.keyword != "workers" else slot for slot in slots]
    if not any(slot.keyword != "workers" for slot in slots):
        slots.insert(0, Slot(None, OBJECT, code=GLOBAL))
    return Rewrite(call, "seed_with_workers" if asks_for_workers else "seed_run", tuple(slots))


def _seed(project: Project, call: cst.Call, slot: Slot) -> Slot:
    """The seed, which may be none, or no whole number yet."""
    argument = call.args[slot.place]
    if argument.star or (slot.keyword is None and slot.place):
        return slot
    if m.matches(argument.value, m.Name("None")):
        return Slot(slot.keyword, OBJECT, code=GLOBAL)
    is_open = any(_is_open(project, each) for each in values_of(project).of(argument.value))
    return replace(slot, wrapper="given_seed" if is_open else None)


def _is_open(project: Project, value: Value) -> bool:
    if isinstance(value, Literal):
        return not isinstance(value.value, int)
    if isinstance(value, Option):
        return may_be_none(project.index, value) or may_be_no_integer(project.index, value)
    return isinstance(value, Unknown)
