import torch
from torch import nn

from .base import WaveClassifier


class Recurrent(WaveClassifier):
    """A GRU, and a linear layer on its last state."""

    def __init__(self, hidden=12, layers=1, dropout=0.1, **kwargs):
        super().__init__(**kwargs)
        self.save_hyperparameters()
        self.gru = nn.GRU(1, hidden, layers, batch_first=True)
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(hidden, 3))

    @classmethod
    def add_model_options(cls, parser):
        super().add_model_options(parser)
        group = parser.add_argument_group("recurrent")
        group.add_argument("--hidden", type=int, default=12)
        group.add_argument("--layers", type=int, default=1)
        group.add_argument("--dropout", type=float, default=0.1)

    @classmethod
    def from_args(cls, args):
        return cls(
            hidden=args.hidden,
            layers=args.layers,
            dropout=args.dropout,
            lr=args.lr,
            warmup=args.warmup,
            smoothing=args.smoothing,
        )

    def forward(self, waves: torch.Tensor) -> torch.Tensor:
        states, _ = self.gru(waves.unsqueeze(-1))
        return self.head(states[:, -1])
