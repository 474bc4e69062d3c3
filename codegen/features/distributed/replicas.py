"""Ranks in groups, of which each trains a model of its own: `data_parallel_group` of the spec."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Replicas(NamedTuple):
    """Groups of ranks."""

    size: int


def replicas(facts: Facts) -> Replicas | None:
    """None: all ranks train together."""
    size = facts.loaded.spec.data_parallel_group if facts.is_distributed else None
    return Replicas(size) if size else None


REPLICAS = Feature(
    "replicas",
    replicas,
    ("Groups of ranks train by themselves.", "spec data_parallel_group"),
)
