from math import *

import lightning as L
import torch
from numpy import *
from torch.nn import *
from torch.nn.functional import *


class Net(L.LightningModule):
    def __init__(self, width: int = 4):
        super().__init__()
        self.layers = Sequential(Linear(3, width), Dropout(0.2), Tanh(), Linear(width, 1))
        self.noise = random.RandomState(5)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = mse_loss(self.layers(x), y) * max([1, sqrt(2.0)]) + self.noise.rand() * 0
        self.log("loss", loss, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=float(0.1 * abs(sum(array([-0.5, -0.5])))))
