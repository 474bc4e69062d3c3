"""A run that only tries the code out: `fast_dev_run` (1.6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...facts.facts import Facts
from ...facts.trainer.replacing import settings_of_trial
from ...ir.plans import ConfigField
from ..feature import Feature

COUNTS = {name for name, value in settings_of_trial(0).items() if value != settings_of_trial(2)[name]}
"""Settings that are the number of batches."""


class Trial(NamedTuple):
    """What changes in such a run."""

    is_open: bool  # known only when the script runs
    changed: tuple[tuple[str, str], ...]  # settings, with their values
    replaces_loggers: bool


def trial(facts: Facts) -> Trial | None:
    """None: the run is to be kept."""
    if not facts.settings.fast_dev_run:
        return None
    is_open = facts.is_expression("fast_dev_run")
    known = settings_of_trial(1).items()
    changed = [(name, "batches" if name in COUNTS else str(value)) for name, value in known]
    open_ = tuple(each for each in changed if is_open and facts.is_expression(each[0]))
    return Trial(is_open, open_, facts.given_loggers.are_objects)


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.is_expression("fast_dev_run"):
        yield ConfigField(
            "fast_dev_run", "bool | int", "False", "so many batches, to try the code out", of_training=False
        )


def _trainer(facts: Facts) -> Mapping[str, str]:
    value = str(facts.settings.fast_dev_run)
    return {"fast_dev_run": "config.fast_dev_run" if facts.is_expression("fast_dev_run") else value}


TRIAL = Feature(
    "trial",
    trial,
    ("A few batches try the code out, and nothing of it is kept.", "setting fast_dev_run"),
    config=_config,
    trainer=_trainer,
)
