"""The progress bar: `enable_progress_bar`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class ProgressBar(NamedTuple):
    """On one rank alone."""

    disabled: str  # a condition


def progress_bar(facts: Facts) -> ProgressBar | None:
    """None: there is none."""
    if not facts.shows_bar:
        return None
    is_open = facts.is_expression("enable_progress_bar")
    return ProgressBar("not config.enable_progress_bar or ranks.rank > 0" if is_open else "ranks.rank > 0")


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.is_expression("enable_progress_bar"):
        yield ConfigField("enable_progress_bar", "bool", "True", of_training=False)


PROGRESS_BAR = Feature(
    "progress_bar",
    progress_bar,
    ("A progress bar, on one rank alone.", "setting enable_progress_bar"),
    config=_config,
)
