"""Noise on the gradients of each step: `gradient_noise`, which stands for a setting that is yet to come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class GradientNoise(NamedTuple):
    """How much of it there is."""

    scale: str


def gradient_noise(facts: Facts) -> GradientNoise | None:
    """None: gradients are left as they are."""
    return GradientNoise("config.gradient_noise") if facts.settings.gradient_noise else None


def _config(facts: Facts) -> Iterator[ConfigField]:
    if facts.settings.gradient_noise:
        yield ConfigField("gradient_noise", "float", str(facts.settings.gradient_noise), "of each gradient")


GRADIENT_NOISE = Feature(
    "gradient_noise",
    gradient_noise,
    ("Gradients have noise added.", "setting gradient_noise"),
    config=_config,
)
