"""`strategy: model_parallel` of the spec: ranks that have parts of the model, as its `configure_model` says (20.4)."""

from __future__ import annotations

from typing import NamedTuple

from ...facts.facts import Facts
from ...spec.model_parallel import ModelParallelSettings, PartOf
from ..feature import Feature


class ModelParallel(NamedTuple):
    """How ranks are divided."""

    sizes: str  # of groups that read other data, and of parts of the model
    plan: str  # which layers ranks have parts of, as code; empty: the model's own


def model_parallel(facts: Facts) -> ModelParallel | None:
    """None: the model has no mesh of its own."""
    if not facts.shares_itself:
        return None
    settings = facts.loaded.spec.model_parallel
    given = [f"{name}={size}" for name, size in settings if isinstance(size, int)]
    return ModelParallel("".join(f", {each}" for each in given), _plan(settings))


def _plan(settings: ModelParallelSettings) -> str:
    classes = {PartOf.COLWISE: "ColwiseParallel", PartOf.ROWWISE: "RowwiseParallel"}
    layers = [f"{path!r}: {classes[part]}()" for path, part in settings.plan.items()]
    return f"{{{', '.join(layers)}}}" if layers else ""


MODEL_PARALLEL = Feature(
    "model_parallel",
    model_parallel,
    ("Ranks have parts of the model.", "spec strategy"),
    {
        "sizes": ("How ranks are divided.", "spec model_parallel"),
        "plan": ("Which layers ranks have parts of.", "spec model_parallel.plan"),
    },
)
