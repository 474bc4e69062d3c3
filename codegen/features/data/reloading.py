"""Loaders made anew while the training goes on: `reload_dataloaders_every_n_epochs` (4.11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature
from ..validation.validation_timing import validated_by_now
from .train_data import batches_of

NAME = "reload_dataloaders_every_n_epochs"


class Reloading(NamedTuple):
    """When they are."""

    train_due: str  # a condition
    makes_train: bool  # else the loader is as the code has made it
    val_due: str  # the same; empty: no hook makes the loader of validation
    val_made: str  # in which epoch the first loaders are, as Lightning counts
    begun: str  # what Lightning does with a new loader before it reads it


def reloading(facts: Facts) -> Reloading | None:
    """None: each loader is made once."""
    if not getattr(facts.settings, NAME):
        return None
    return Reloading(
        _due(facts, "train"),
        bool(facts.train.owner),
        _due(facts, "val") if facts.has_validation and facts.val and facts.val.owner else "",
        _val_made(facts),
        _begun(facts),
    )


def _val_made(facts: Facts) -> str:
    """What is made before an epoch that is not validated is made anew for the first that is."""
    is_due = validated_by_now(facts)
    return f"first_epoch if {is_due} else -math.inf" if is_due else "first_epoch"


def _begun(facts: Facts) -> str:
    if facts.limits_stream:
        return batches_of(facts, goes_on=False)
    return "iter(train_loader)" if facts.is_sized else "next(iter(train_loader), None)"


def _due(facts: Facts, stage: str) -> str:
    every, past = f"config.{NAME}", f"epoch - {stage}_loader_made"
    return f"0 < {every} <= {past}" if facts.is_expression(NAME) else f"{past} >= {every}"


def _config(facts: Facts) -> Iterator[ConfigField]:
    if value := getattr(facts.settings, NAME):
        yield ConfigField(NAME, "int", "0" if facts.is_expression(NAME) else str(value))


RELOADING = Feature(
    "reloading",
    reloading,
    ("Loaders are made anew while the training goes on.", f"setting {NAME}"),
    config=_config,
)
