from torch import Tensor, nn


class Residual(nn.Module):
    """A layer that adds to what comes in."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Dropout(dropout)
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x)


def perceptron(inputs: int, width: int, depth: int, dropout: float) -> nn.Sequential:
    """One score for each row."""
    blocks = [Residual(width, dropout) for _ in range(depth)]
    return nn.Sequential(nn.Linear(inputs, width), *blocks, nn.LayerNorm(width), nn.Linear(width, 1))
