"""Limits of the batches that are read: `limit_train_batches` and those of the other stages (1.3, 1.4)."""

from __future__ import annotations

from collections.abc import Iterator

from ...facts.facts import Facts
from ...ir.plans import ConfigField


def limit_field(facts: Facts, name: str, what: str) -> Iterator[ConfigField]:
    """The option for a limit, where there is one."""
    value = getattr(facts.settings, name)
    if facts.is_expression(name) and type(value) is not int:
        yield ConfigField(name, "float | None", "1.0", "share or number of batches")
    elif type(value) is int:
        yield ConfigField(name, "int", str(value), f"batches of {what}")
    elif value != 1.0:
        yield ConfigField(name, "float", str(value), f"share of the batches of {what}")
