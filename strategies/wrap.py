"""The model's training step under DistributedDataParallel."""

from typing import Any

from torch import nn
from torch.nn.parallel import DistributedDataParallel

from .ranks import Ranks


class TrainingStep(nn.Module):
    """`training_step` as a `forward`, the only call in which DistributedDataParallel averages gradients."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *args: Any) -> Any:
        return self.model.training_step(*args)  # type: ignore[operator]  # nn.Module types attributes as modules


def wrap(step: nn.Module, ranks: Ranks, **options: Any) -> nn.Module:
    """Average gradients over all ranks in every backward, where there are several ranks and anything to train."""
    if ranks.world_size == 1 or not any(parameter.requires_grad for parameter in step.parameters()):
        return step
    return DistributedDataParallel(step, **options)
