import lightning as L
import torch
from lightning.pytorch.utilities import CombinedLoader
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Stream(IterableDataset):
    def __iter__(self):
        yield from torch.ones(8, 4)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", self.layer(batch[0]).square().mean())

    def val_dataloader(self):
        return [self.train_dataloader(), self.train_dataloader()]

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).square().mean())

    def test_dataloader(self):
        return CombinedLoader([DataLoader(Stream(), batch_size=2), self.train_dataloader()], "min_size")


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(Net())
    trainer.validate(Net(), CombinedLoader([Net().train_dataloader()], "min_size"))
    trainer.test(Net())
