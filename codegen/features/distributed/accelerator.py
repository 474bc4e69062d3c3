"""What a script computes on: `accelerator`, and `device` in the spec (20.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ...spec.sections.strategy_spec import Device
from ..feature import Feature

ANY = ("auto", "gpu")


class Accelerator(NamedTuple):
    """How the device of a process is found."""

    is_open: bool  # its kind is known only when the script runs
    kind: str | None  # None: any


def accelerator(facts: Facts) -> Accelerator:
    """The spec's, or that of the Trainer."""
    given = facts.loaded.spec.device
    asked = facts.settings.accelerator if given is Device.AUTO else given.value
    return Accelerator(_is_open(facts), None if asked in ANY or _is_open(facts) else asked)


def _is_open(facts: Facts) -> bool:
    return facts.is_expression("accelerator") and facts.loaded.spec.device is Device.AUTO


def _config(facts: Facts) -> Iterator[ConfigField]:
    if _is_open(facts):
        yield ConfigField("accelerator", "str | None", '"auto"', "or cpu, cuda, mps, xpu", of_training=False)


ACCELERATOR = Feature(
    "accelerator",
    accelerator,
    ("Each process has a device of its own.", "setting accelerator"),
    config=_config,
)
