"""Gradients, as they are looked at while training."""

from torch import Tensor, nn, tensor
from torch.distributed.tensor import DTensor


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
