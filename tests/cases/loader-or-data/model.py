import sys

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


KINDS = {"data": Data, "loader": lambda: DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)}


def build(kind):
    return KINDS[kind]()


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(Net(), build(sys.argv[1]))


if __name__ == "__main__":
    main()
