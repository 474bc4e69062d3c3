from bases import LitBase
from mixins import HiddenMixin, LoggingMixin, OptimizerMixin
from torch import nn


class Classifier(LoggingMixin, OptimizerMixin, LitBase, HiddenMixin):
    def __init__(self, hidden: int = 8):
        super().__init__(hidden=hidden)
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.Tanh(), nn.Linear(hidden, 3))

    def training_step(self, *args):
        return super().training_step(*args)
