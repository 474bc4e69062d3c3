"""Graphs of the model that TensorBoard draws: `TensorBoardLogger(log_graph=True)`."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Graphs(NamedTuple):
    """What is drawn."""

    declares: bool  # the variable that holds the model's example


def graphs(facts: Facts) -> Graphs | None:
    """None: no logger draws any, or the model has no example to draw one of."""
    if not facts.draws_graphs:
        return None
    return Graphs(not facts.tries_example)


GRAPHS = Feature(
    "graphs",
    graphs,
    ("TensorBoard draws the model as its example goes through it.", "setting logger"),
)
