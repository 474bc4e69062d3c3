from torch import nn

from .base import Learner


class Regressor(Learner):
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(3, width), nn.ReLU(), nn.Linear(width, 1))

    def _loss(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.layers(x), y)
