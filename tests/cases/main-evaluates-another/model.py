"""A class that is but tested, and on data modules that would each have a script of its own."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def test_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(4, 4)), batch_size=2)


class Scaled(Data):
    def on_after_batch_transfer(self, batch, dataloader_idx):
        return [each * 2 for each in batch]


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Tested(Net):
    def test_step(self, batch, batch_idx):
        self.log("mean", self.layer(batch[0]).mean(), sync_dist=True)


def main():
    trainer, net = L.Trainer(max_epochs=2), Net()
    trainer.fit(net, datamodule=Data())
    tested = Tested()
    tested.load_state_dict(net.state_dict())
    trainer.test(tested, datamodule=Data())
    trainer.test(tested, datamodule=Scaled())


if __name__ == "__main__":
    main()
