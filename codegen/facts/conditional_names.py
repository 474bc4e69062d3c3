"""Names that depend on conditions."""

from __future__ import annotations

from collections.abc import Mapping


def holding(conditions: Mapping[str, bool]) -> frozenset[str]:
    """The names of which it holds."""
    return frozenset(name for name, holds in conditions.items() if holds)
