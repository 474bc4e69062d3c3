from torch import nn

from .base import Forecaster


class Flat(Forecaster):
    """The class that the file chooses: all days at once."""

    def __init__(
        self,
        days: int,
        stations: int,
        activation: nn.Module,
        hidden: int = 4,
        rate: float = 0.05,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(days, stations, hidden, rate)
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(days * stations, hidden), activation, nn.Dropout(dropout)
        )

    def features(self, x):
        return self.body(x)
