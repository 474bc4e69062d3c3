"""Watches training through hooks of torch's own: the program itself stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch
from weakref import WeakSet

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

from .records import Sink


class Stop(BaseException):
    """Enough steps were taken."""


class Recorder:
    """Hands a sink, after each optimizer step, what the step was made of."""

    def __init__(self, steps: int, sink: Sink) -> None:
        self.steps, self.sink = steps, sink
        self.taken = 0
        self.losses: list[Tensor] = []
        self.models: WeakSet[nn.Module] = WeakSet()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what runs in the meantime."""
        with ExitStack() as stack:
            stack.enter_context(patch("torch.autograd.backward", self._backward(torch.autograd.backward)))
            handles = (
                register_module_module_registration_hook(self._found),
                register_module_parameter_registration_hook(self._found),
                register_optimizer_step_post_hook(self._after_step),
            )
            for handle in handles:
                stack.callback(handle.remove)
            yield

    def _found(self, module: nn.Module, name: str, part: object) -> None:
        """On both sides a model is what says how it is optimized."""
        if hasattr(type(module), "configure_optimizers"):
            self.models.add(module)

    def _backward(self, original: Any) -> Any:
        def backward(tensors: Any, *args: Any, **options: Any) -> None:
            losses = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
            self.losses.extend(loss.detach().clone() for loss in losses)
            original(tensors, *args, **options)

        return backward

    def _after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self.taken < self.steps:
            self.taken += 1
            self.sink.step(self.taken, self._values(optimizer))
            self.losses = []
        if self.taken >= self.steps:
            raise Stop

    def _values(self, optimizer: Optimizer) -> dict[str, Mapping[str, Tensor]]:
        """What there is to compare, by kind and by name."""
        groups = optimizer.param_groups
        model = self._model_of(optimizer)
        parameters = dict(model.named_parameters()) if model else _numbered(optimizer)
        gradients = {name: each.grad for name, each in parameters.items() if each.grad is not None}
        rates = {
            f"group {i}": torch.as_tensor(group["lr"], dtype=torch.float64) for i, group in enumerate(groups)
        }
        return {
            "loss": {f"backward {i}": loss for i, loss in enumerate(self.losses, 1)},
            "learning rate": rates,
            "gradient": gradients,
            "weight": parameters,
            "buffer": dict(model.named_buffers()) if model else {},
        }

    def _model_of(self, optimizer: Optimizer) -> nn.Module | None:
        """The model whose parameters these are; where models hold models, the outermost."""
        parameters = {id(each) for group in optimizer.param_groups for each in group["params"]}
        holders = [
            (len(own), model)
            for model in self.models
            if (own := {id(each) for each in model.parameters()}) & parameters
        ]
        return max(holders, key=lambda holder: holder[0])[1] if holders else None


def _numbered(optimizer: Optimizer) -> dict[str, Tensor]:
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    return {f"parameter {number}": each for number, each in enumerate(parameters)}
