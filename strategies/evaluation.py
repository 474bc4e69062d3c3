"""Evaluation mode."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Evaluation without gradients, then each submodule's own mode again."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    with torch.no_grad():
        yield
    for module, training in modes:
        module.training = training
