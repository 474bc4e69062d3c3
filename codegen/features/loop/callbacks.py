"""Callbacks: their states in checkpoints, the model's own, and what they log with (2.1, 2.2, 12.1)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.lightning.checkpoint_parts import name_callbacks
from ..feature import Feature


class Callbacks(NamedTuple):
    """What is done with callbacks besides calling their hooks."""

    have_state: bool
    are_named: bool  # by hooks, which may take their states out of a checkpoint
    are_models: bool  # some of them, by its `configure_callbacks`
    lent: tuple[str, ...]  # methods of the model that they log with
    may_share_states: bool  # two, under one key, which Lightning refuses

    @property
    def lines(self) -> int:
        """How long it is, what the trainer's callbacks are given."""
        return self.may_share_states + self.are_models + (1 + len(self.lent) if self.lent else 0)


def callbacks(facts: Facts) -> Callbacks:
    """What is done with callbacks."""
    lent = facts.callbacks.lent if facts.callbacks else frozenset()
    are_named = name_callbacks(facts.project, [*facts.served.models, *facts.callbacks.own])
    return Callbacks(
        facts.callbacks.has_state,
        are_named,
        facts.has_hook("configure_callbacks"),
        tuple(sorted(lent)),
        facts.callbacks.may_share_states,
    )


CALLBACKS = Feature(
    "callbacks",
    callbacks,
    ("Callbacks go on with their states.", "spec checkpoint"),
    {
        "are_models": ("The model brings callbacks.", "method configure_callbacks"),
        "lent": ("Callbacks log.", "trainer"),
    },
)
