"""The trial run of validation before training: `num_sanity_val_steps` (2.6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...facts.code.stages import VALIDATE
from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..data.loaders import is_of_stream, limit_of, names_of, validated_batches, validation_given
from ..feature import Feature


class SanityCheck(NamedTuple):
    """How validation is tried."""

    wanted: str  # a condition; empty: it is, in any case
    batches: str
    is_short: bool  # of the one loader
    needs_no_grad: bool  # round what is done beside the pass itself


def sanity_check(facts: Facts) -> SanityCheck | None:
    """None: it is not."""
    steps = _steps(facts)
    if not facts.has_validation or steps is None or facts.val is None:
        return None
    is_short = bool(steps) and not facts.has_several(VALIDATE)
    wanted, batches = " and ".join(_conditions(facts)), validated_batches(facts, steps)
    has_hooks = facts.calls("on_sanity_check_start") or facts.calls("on_sanity_check_end")
    return SanityCheck(wanted, batches, is_short, facts.val.computes or has_hooks)


def checks_sanity(facts: Facts) -> bool:
    """Whether validation is tried before training."""
    return facts.has_validation and _steps(facts) is not None


def _steps(facts: Facts) -> str | None:
    """How many batches of a loader the check takes, or nothing for all; None: there is no check."""
    steps = facts.settings.num_sanity_val_steps
    if steps == 0 or facts.val is None:
        return None
    _, each = names_of(facts, VALIDATE, "val_loader")
    limit = limit_of(facts, VALIDATE, facts.val, each)
    if facts.is_expression("num_sanity_val_steps"):
        count = limit or ("None" if facts.val.dataset == "unsized" else f"len({each})")
        return f"sanity_steps(config.num_sanity_val_steps, {count})"
    if steps == -1:
        return limit or ""
    if is_of_stream(limit):
        return f"sanity_steps(config.num_sanity_val_steps, {limit})"
    return f"min(config.num_sanity_val_steps, {limit})" if limit else "config.num_sanity_val_steps"


def _conditions(facts: Facts) -> Iterator[str]:
    if is_given := validation_given(facts):
        yield is_given
    if facts.saves_within:
        yield "not place"
    if facts.is_expression("num_sanity_val_steps"):
        yield "config.num_sanity_val_steps"
    if facts.is_expression("limit_val_batches"):
        yield "config.limit_val_batches != 0"


def _config(facts: Facts) -> Iterator[ConfigField]:
    steps = facts.settings.num_sanity_val_steps
    if facts.has_validation and steps > 0:
        unit = "batches of validation, tried before training"
        for_none = str(steps) if facts.is_expression("num_sanity_val_steps") else ""
        yield ConfigField("num_sanity_val_steps", "int", str(steps), unit, for_none)


SANITY_CHECK = Feature(
    "sanity_check",
    sanity_check,
    ("Some batches of validation are tried before training.", "setting num_sanity_val_steps"),
    config=_config,
)
