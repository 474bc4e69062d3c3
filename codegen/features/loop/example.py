"""The model's example, which Lightning runs for its summary of the model: `example_input_array`."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...lightning.api import TRANSFER_HOOKS
from ..feature import Feature
from ..numerics.precision import step_context


class Example(NamedTuple):
    """How it gets to the device."""

    by_hooks: bool
    context: str  # that it runs in; empty: none


def example(facts: Facts) -> Example | None:
    """None: it is not run."""
    if not facts.tries_example:
        return None
    return Example(any(facts.owner_of(name) for name in TRANSFER_HOOKS), step_context(facts))


EXAMPLE = Feature(
    "example",
    example,
    ("Lightning runs the model's example for its summary.", "write example_input_array"),
)
