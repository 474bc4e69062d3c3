from torch import nn

from .base import Forecaster


class Recurrent(Forecaster):
    def __init__(self, days: int, stations: int, hidden: int = 4, rate: float = 0.05, layers: int = 1) -> None:
        super().__init__(days, stations, hidden, rate)
        self.cells = nn.GRU(stations, hidden, layers, batch_first=True)

    def features(self, x):
        return self.cells(x)[0][:, -1]
