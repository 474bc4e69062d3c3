from datetime import timedelta

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def on_fit_start(self):
        self.trainer.strategy.timeout = timedelta(minutes=20)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(epochs):
    trainer = L.Trainer(max_epochs=epochs)
    trainer.strategy.timeout = timedelta(minutes=30)
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))


if __name__ == "__main__":
    main(len("ab"))
