import lightning as L
import torch
from torch import nn


class Regressor(L.LightningModule):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.net = nn.Linear(8, width)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.mse_loss(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def train_once(width, loader):
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Regressor(width), loader)


torch.set_float32_matmul_precision("high")
