import torch.nn.functional as F
from torch import Tensor


def loss_of(found: Tensor, expected: Tensor, power: int = 2) -> Tensor:
    return F.mse_loss(found, expected) if power == 2 else (found - expected).abs().pow(power).mean()
