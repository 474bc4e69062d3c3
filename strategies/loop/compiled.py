"""What torch compiles."""

from typing import Any

import torch
from torch import Tensor, nn


def compile_step(model: Any, **options: Any) -> None:
    """Have the training step run compiled."""
    if "training_step" not in vars(model):  # an earlier fit compiled it
        model.training_step = torch.compile(model.training_step, **options)


def compile_logging_step(model: Any, logs: str, **options: Any) -> None:
    """Have the training step run compiled, and log after it what it logs: there it breaks no graph."""
    if "training_step" in vars(model):
        return  # an earlier fit compiled it
    compiled: Any = torch.compile(noting_step(model, logs), **options)

    def training_step(*args: Any) -> Any:
        output, calls = compiled(*args)
        for values, told in calls:
            getattr(model, logs)(*values, **told)
        return output

    model.training_step = training_step


def noting_step(model: Any, logs: str) -> Any:
    """A training step that notes what it logs, in the place of the model's `logs`, and returns that too."""
    training_step = model.training_step

    def step(*args: Any) -> tuple[Any, list[Any]]:
        calls: list[Any] = []

        def note(name: str, value: Any, *values: Any, **told: Any) -> None:
            if isinstance(value, Tensor):
                value = value.detach().clone()  # as it is now
            calls.append(((name, value, *values), told))

        before = getattr(model, logs)
        setattr(model, logs, note)
        output = training_step(*args)
        setattr(model, logs, before)
        return output, calls

    return step


def compile_layers(model: nn.Module, names: set[str], **options: Any) -> None:
    """Have each layer of these classes run compiled."""
    layers = [each for each in model.modules() if type(each).__name__ in names]
    if missing := names - {type(each).__name__ for each in layers}:
        raise SystemExit(f"the model has no layer to compile of {', '.join(missing)}")
    for layer in layers:
        layer.compile(**options)
