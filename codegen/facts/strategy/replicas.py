"""What is not each group's own, where ranks in groups train beside each other: `data_parallel_group` of the spec."""

from __future__ import annotations

from collections.abc import Iterator

from ... import messages
from ...diagnostics import Diagnostic
from ..checkpoint_facts import SAVING
from ..facts import Facts


def check_groups(facts: Facts) -> Iterator[Diagnostic]:
    """Folders, seeds and runs that all groups would share."""
    if facts.loaded.spec.data_parallel_group is None:
        return
    place = facts.loaded.key_place("data_parallel_group")
    if facts.own_main:
        yield messages.not_in_groups(place, "main")
        return
    if facts.given_loggers.are_objects:
        yield messages.not_in_groups(place, "logger")
    named = {name for _, name in facts.callbacks.nodes} & SAVING
    if any(_may_have_a_folder(facts, name) for name in named):
        yield messages.not_in_groups(place, "dirpath")


def _may_have_a_folder(facts: Facts, name: str) -> bool:
    """Whether one of such callbacks is given one, or that cannot be told."""
    made = next((each for each in facts.callbacks.made if each.name == name), None)
    if made is None:
        return True
    return any(by_place or by_name.get("dirpath", "None") != "None" for by_place, by_name in made.calls)
