import lightning as L
import torch
from torch import nn


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.1), nn.Linear(8, 1))
        self.seen = set()

    def on_fit_start(self):
        self.seen.add(("on_fit_start", str(self.dtype), self.trainer.precision))

    def step(self, name, batch):
        x, y = batch
        predicted = self.layers(x)
        self.seen.add((name, str(self.dtype), str(x.dtype), str(predicted.dtype)))
        loss = nn.functional.mse_loss(predicted, y)
        self.log(f"{name}_loss", loss, on_epoch=True, sync_dist=True)
        self.log(f"{name}_share", (predicted > 0).float().mean() / 3, on_epoch=True, sync_dist=True)
        return loss

    def training_step(self, batch, batch_idx):
        return self.step("train", batch)

    def validation_step(self, batch, batch_idx):
        self.step("val", batch)

    def test_step(self, batch, batch_idx):
        self.step("test", batch)

    def predict_step(self, batch, batch_idx):
        return self.layers(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)
