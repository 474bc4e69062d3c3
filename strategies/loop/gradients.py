"""Gradients, as they are looked at while training."""

from torch import Tensor, nn, tensor


def grad_norm(
    module: nn.Module, norm_type: float | str, group_separator: str = "/"
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
    if norms:
        norms[f"{prefix}_total"] = tensor(list(norms.values())).norm(norm_type)
    return norms
