"""`strategy: model_parallel` of the spec: ranks that have parts of the model, as its `configure_model` says (20.4)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...facts.facts import Facts
from ...spec.sections.model_parallel import ModelParallelSettings
from ...spec.sections.parallel_plan import LayerStyle, Style
from ..feature import Feature

CLASSES = {
    Style.COLWISE: "ColwiseParallel",
    Style.ROWWISE: "RowwiseParallel",
    Style.SEQUENCE: "SequenceParallel",
    Style.INPUT: "PrepareModuleInput",
    Style.OUTPUT: "PrepareModuleOutput",
    Style.INPUT_OUTPUT: "PrepareModuleInputOutput",
}
"""torch's."""


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
    layers = [f"{path!r}: {_style(style)}" for path, style in settings.plan.items()]
    return f"{{{', '.join(layers)}}}" if layers else ""


def _style(style: LayerStyle) -> str:
    given = style.arguments().items()
    return f"{CLASSES[style.style]}({', '.join(f'{name}={_argument(value)}' for name, value in given)})"


def _argument(value: Any) -> str:
    """What torch's class is told: layouts, or what else the spec says."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name!r}: {_argument(each)}' for name, each in value.items())}}}"
    if isinstance(value, tuple):
        return f"({''.join(f'{_argument(each)}, ' for each in value)})"
    if isinstance(value, str):
        return "Replicate()" if value == "replicate" else value.capitalize()
    return repr(value)


MODEL_PARALLEL = Feature(
    "model_parallel",
    model_parallel,
    ("Ranks have parts of the model.", "spec strategy"),
    {
        "sizes": ("How ranks are divided.", "spec model_parallel"),
        "plan": ("Which layers ranks have parts of.", "spec model_parallel.plan"),
    },
)
