"""Calls of `seed_everything` in a main that stays the user's, and what they say of loaders' workers."""

from __future__ import annotations

import libcst as cst

from ...ir.project import Project
from ...ir.rewrites import OBJECT, Rewrite, Slot
from ...values import values_of

SEED_PARAMETERS = ("seed", "workers")


def seeds_workers(project: Project, call: cst.Call) -> bool | None:
    """Whether loaders' workers get seeds of their own; None: that is known only when the code runs."""
    arguments = values_of(project).arguments(call, SEED_PARAMETERS)
    given = arguments.get("workers")
    if given is None:
        return None if arguments.unknown else False
    literal = given.values.literal
    return bool(literal.value) if literal else None


def seed_rewrite(call: cst.Call, asks_for_workers: bool) -> Rewrite:
    """`seed_everything(...)` with its seed, and with what it says of workers where a run asks for that.

    Without a seed it is the environment's.
    """
    names = SEED_PARAMETERS if asks_for_workers else SEED_PARAMETERS[:1]
    slots = [
        Slot(argument.keyword.value if argument.keyword else None, index)
        for index, argument in enumerate(call.args)
        if (argument.keyword.value in names if argument.keyword else index < len(names) or argument.star)
    ]
    if not any(slot.keyword != "workers" for slot in slots):
        slots.insert(0, Slot(None, OBJECT, code="{global_seed}()"))
    return Rewrite(call, "seed_with_workers" if asks_for_workers else "seed_run", tuple(slots))
