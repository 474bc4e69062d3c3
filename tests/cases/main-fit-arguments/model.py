import sys

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class Other(L.LightningDataModule):
    pass


class Another(L.LightningDataModule):
    pass


def main(arguments):
    trainer = L.Trainer(max_epochs=arguments.epochs)
    trainer.fit(Net(), **arguments)
    trainer.fit(Net(), datamodule=arguments.data, model_checkpoint=1)


if __name__ == "__main__":
    main(sys.argv[1])
