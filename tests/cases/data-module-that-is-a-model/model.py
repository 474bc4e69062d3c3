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


class Data(L.LightningModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def forward(self, x):
        return x * 2


class Shared(L.LightningModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class Deep(Shared, Net):
    pass


def main():
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(Net(), datamodule=Data())
    trainer.fit(Net(), datamodule=Shared())


if __name__ == "__main__":
    main()
