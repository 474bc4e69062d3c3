"""The model's training step under DistributedDataParallel."""

from typing import Any

from torch import Tensor, nn


class TrainingStep(nn.Module):
    """`training_step` as a `forward`: only in that call does DDP average gradients."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, *args: Any) -> Any:
        return self.model.training_step(*args)


class ModelStep(nn.Module):
    """A step of the model's as a `forward`: only in that call does DDP share gradients and buffers."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, *args: Any) -> Any:
        step = self.model.training_step if self.training else self.model.validation_step
        return step(*args)


def select_step(step: nn.Module, training: bool) -> None:
    """Have it be the model's step for training, or for validation, in whichever mode the model is."""
    step.training = getattr(step, "module", step).training = training


class LossIdentity(nn.Module):
    """Returns the loss. Wrapped in DDP, its `forward` has the backward average gradients."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model  # whose gradients they are

    def forward(self, loss: Tensor) -> Tensor:
        return loss


def as_wrapper(wrapper: Any, step: nn.Module, waits: bool) -> nn.Module:
    """Your wrapper of the step, if it offers what the training asks of it."""
    name = type(wrapper).__name__
    if not isinstance(wrapper, nn.Module) or type(wrapper).forward is nn.Module.forward:
        raise SystemExit(f"{name} must be a torch.nn.Module with a `forward`")
    if getattr(wrapper, "module", None) is not step:
        raise SystemExit(f"{name} must keep what it wraps as its `module`")
    if waits and not hasattr(wrapper, "no_sync"):
        raise SystemExit(
            f"{name} must have a method `no_sync`, for a context in which gradients are "
            "not averaged: they accumulate over several batches"
        )
    return wrapper
