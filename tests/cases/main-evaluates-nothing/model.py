"""A main that trains nothing, and evaluates what Lightning would not."""

import lightning as L
import torch
from torch import nn


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def test_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(epochs):
    trainer = L.Trainer(max_epochs=epochs)
    trainer.validate(Net(), [1])
    trainer.test(Net())


if __name__ == "__main__":
    main(2)
