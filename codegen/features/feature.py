"""What a feature is: one thing that a training may have, with all that belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ..facts.facts import Facts
from ..ir.plans import ConfigField

Reason = tuple[str, str]
"""Why something stands in the script: a sentence, and what of the user's asks for it, as `explain.asked` reads it."""


def no_fields(facts: Facts) -> Iterable[ConfigField]:
    """For features without options."""
    return ()


def no_values(facts: Facts) -> Mapping[str, str]:
    """For features of which the trainer is told nothing."""
    return {}


@dataclass(frozen=True)
class Feature:
    """One thing that a training may have. Its code is the template of the same name, one block for each slot."""

    name: str  # of its template, and of its decisions in all templates
    decide: Callable[[Facts], object | None]  # its decisions; None: it does not apply
    reason: Reason
    reasons: Mapping[str, Reason] = field(default_factory=dict)  # of lines that one decision puts there
    config: Callable[[Facts], Iterable[ConfigField]] = no_fields
    trainer: Callable[[Facts], Mapping[str, str]] = (
        no_values  # what code may read of the trainer, with its value
    )
