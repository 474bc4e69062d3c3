import lightning as L
import torch
from nets.making import build, loss_of
from torch import nn


class Line(L.LightningModule):
    def __init__(self, parts, loss, width=2, lr=0.1):
        super().__init__()
        self.layers = nn.Sequential(*[build(part, bias=True) for part in parts])
        self.loss, self.lr = loss_of(loss), lr

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.loss(self.layers(x), y)
        self.log("loss", loss, on_step=False, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


class Curve(Line):
    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


def absolute(prediction, target):
    return (prediction - target).abs().mean()
