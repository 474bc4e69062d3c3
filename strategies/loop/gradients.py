"""Gradients, as they are looked at while training."""

import math
from typing import Any

import torch
from torch import Tensor, nn, tensor
from torch.distributed.tensor import DTensor

from ..distributed.ranks import Ranks
from .optimizers import optimized_parameters


def grad_norm(
    module: nn.Module,
    norm_type: float | str,
    group_separator: str = "/",
    are_shares: bool = False,
) -> dict[str, Tensor]:
    """The norm of each parameter's gradient, and of all together, by names to log them under."""
    norm_type = float(norm_type)
    if norm_type <= 0:
        raise ValueError(f"norm_type is positive, or 'inf', not {norm_type}")
    prefix = f"grad_{norm_type}_norm"
    norms = {
        f"{prefix}{group_separator}{name}": parameter.grad.data.norm(norm_type)
        for name, parameter in module.named_parameters()
        if parameter.grad is not None
    }
    if are_shares:  # put together by every rank, in the same order
        norms = {
            name: each.full_tensor() if isinstance(each, DTensor) else each
            for name, each in norms.items()
        }
    if norms:
        norms[f"{prefix}_total"] = tensor(list(norms.values())).norm(norm_type)
    return norms


def largest(tensors: list[Tensor]) -> Tensor:
    """The largest magnitude in them; NaN if there is one."""
    return nn.utils.get_total_norm(tensors, math.inf)


def gradients_of(optimizer: Any) -> list[Tensor]:
    """Those with which it steps."""
    parameters = optimized_parameters(optimizer)
    return [each.grad for each in parameters if each.grad is not None]


class StopAtNaN:
    """Ends training when gradients or weights are NaN or infinite, before they are saved."""

    # After gradients are averaged, each rank has another's NaN: all find the same, and end together.

    def __init__(self, optimizer: Any, device: torch.device, every: int) -> None:
        self.optimizer = optimizer
        self.every = every or 50  # no other step waits for the device
        self.first = torch.full((), -1, device=device)  # such step

    def look(self, step: int) -> None:
        """Before each step of the optimizer's."""
        is_new = (self.first < 0) & ~largest(gradients_of(self.optimizer)).isfinite()
        self.first = torch.where(is_new, step, self.first)
        if (step + 1) % self.every == 0:
            self.require_finite()

    def require_finite(self) -> None:
        """Before each checkpoint, too."""
        if (step := int(self.first)) >= 0:
            raise SystemExit(f"step {step}: gradients are NaN or infinite")
        weights = [each.detach() for each in optimized_parameters(self.optimizer)]
        if not largest(weights).isfinite():
            raise SystemExit("weights are NaN or infinite: they are not saved")


class SkipNaN:
    """Leaves out those steps of an optimizer for which a gradient is NaN or infinite."""

    # After gradients are averaged, each rank has another's NaN: all leave out the same.

    def __init__(self, optimizer: Any, device: torch.device) -> None:
        self.optimizer, self.told = optimizer, 0
        self.found = self.left_out = torch.zeros((), device=device)

    def look(self) -> None:
        """Before gradients are clipped."""
        is_finite = largest(gradients_of(self.optimizer)).isfinite()
        self.found = (~is_finite).to(self.found)
        self.left_out = self.left_out + self.found

    def step(self) -> None:
        # a kernel that is told looks at it on the device, else this waits, as GradScaler
        if all(group.get("fused") for group in self.optimizer.param_groups):
            self.optimizer.found_inf = self.found
            self.optimizer.step()
        elif not self.found:
            self.optimizer.step()

    def tell(self, ranks: Ranks) -> None:
        """Once an epoch."""
        count = int(self.left_out) - self.told
        self.told += count
        if count and ranks.rank == 0:
            print(f"steps left out, as gradients were NaN or infinite: {count}")
