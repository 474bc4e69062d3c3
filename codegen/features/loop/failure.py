"""What is told when a run fails: `on_exception`, loggers (13.3)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ..feature import Feature


class Failure(NamedTuple):
    """Who is told."""

    tells_data: bool


def failure(facts: Facts) -> Failure | None:
    """None: a run that fails just ends."""
    tells_callbacks = "on_exception" in facts.callbacks.hooks or not facts.trainer_fields.isdisjoint(
        {"failed", "status"}
    )
    tells = tells_callbacks or facts.tells_data or facts.given_loggers.are_objects
    return Failure(facts.tells_data) if facts.reports and tells else None


FAILURE = Feature("failure", failure, ("Your code is told when a run fails.", "method on_exception"))
