"""Gradient clipping: `gradient_clip_val`, `gradient_clip_algorithm`, `configure_gradient_clipping` (6.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...facts.facts import Facts
from ...ir.plans import ConfigField
from ..feature import Feature


class Clipping(NamedTuple):
    """How gradients are limited before an update."""

    by_hook: bool  # of the model's
    limit: str
    algorithm: str
    function: str
    parameters: str
    may_be_fused: bool  # the optimizer, while losses are scaled


def clipping(facts: Facts) -> Clipping | None:
    """None: gradients are left as they are."""
    value, by_hook = facts.settings.gradient_clip_val, facts.has_hook("configure_gradient_clipping")
    if facts.manual or not facts.form.exists or not (value or by_hook):
        return None
    otherwise = " or 0" if facts.is_expression("gradient_clip_val") and not by_hook else ""
    every = facts.form.takes_all_parameters
    return Clipping(
        by_hook,
        f"config.gradient_clip_val{otherwise}" if value else "None",
        facts.setting_code("gradient_clip_algorithm"),
        _function(facts),
        "model.parameters()" if every else "optimized_parameters(optimizer)",
        facts.precision.scales and facts.form.may_be_fused,
    )


def _function(facts: Facts) -> str:
    over_meshes = "_over_meshes" if facts.is_planned else ""
    if facts.is_expression("gradient_clip_algorithm"):
        return f"clip{over_meshes or '_by'}(config.gradient_clip_algorithm)"
    by_value = facts.settings.gradient_clip_algorithm == "value"
    if over_meshes:
        return "clip_value_over_meshes" if by_value else "clip_norm_over_meshes"
    return "nn.utils.clip_grad_value_" if by_value else "nn.utils.clip_grad_norm_"


def _config(facts: Facts) -> Iterator[ConfigField]:
    value = facts.settings.gradient_clip_val
    is_open = facts.is_expression("gradient_clip_val")
    is_read = facts.form.exists or "gradient_clip_val" in facts.trainer_fields or (facts.manual and is_open)
    if not value or not is_read:
        return
    kind, limit = ("float | None", "None") if is_open else ("float", str(float(value)))
    if facts.is_expression("gradient_clip_algorithm"):
        yield ConfigField("gradient_clip_val", kind, limit, "limit of the gradients")
        yield ConfigField("gradient_clip_algorithm", "str | None", "None", "norm or value")
        return
    by_value = facts.settings.gradient_clip_algorithm == "value"
    what = "of each gradient" if by_value else "of the gradients' norm"
    yield ConfigField("gradient_clip_val", kind, limit, f"limit {what}")


def _trainer(facts: Facts) -> Mapping[str, str]:
    return {
        "gradient_clip_val": "config.gradient_clip_val" if facts.settings.gradient_clip_val else "None",
        "gradient_clip_algorithm": facts.setting_code("gradient_clip_algorithm"),
    }


CLIPPING = Feature(
    "clipping",
    clipping,
    ("Gradients are limited before each update.", "setting gradient_clip_val"),
    {"by_hook": ("Your hook limits gradients.", "method configure_gradient_clipping")},
    _config,
    _trainer,
)
