from itertools import pairwise

from torch import Tensor, nn


class DenseNet(nn.Module):
    """Layers of one width."""

    def __init__(self, inputs: int, width: int, depth: int, classes: int) -> None:
        super().__init__()
        widths = [inputs, *[width] * depth]
        hidden = [
            layer
            for before, after in pairwise(widths)
            for layer in (nn.Linear(before, after), nn.BatchNorm1d(after), nn.ReLU())
        ]
        self.layers = nn.Sequential(*hidden, nn.Linear(widths[-1], classes))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)
