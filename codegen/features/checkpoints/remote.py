"""Files of a run in places that fsspec reaches: `checkpoint.dir` of the spec, where it is a URL."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...spec.sections.strategy_spec import Logger
from ..feature import Feature


class Remote(NamedTuple):
    """When metrics are written there, as a whole each time."""

    keeps_rows: bool  # until an epoch ends
    keeps_them_inside: bool  # epochs, with checkpoints that are written there


def remote(facts: Facts) -> Remote | None:
    """None: the script writes to local folders."""
    if not facts.is_remote:
        return None
    keeps_rows = Logger.JSONL in facts.writes
    return Remote(keeps_rows, keeps_rows and (facts.saves_within or facts.dumps))


REMOTE = Feature(
    "remote",
    remote,
    ("Files may lie where fsspec reaches them.", "spec checkpoint.dir"),
    {"keeps_rows": ("Metrics are written with each checkpoint.", "spec checkpoint.dir")},
)
