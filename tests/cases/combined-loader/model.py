import lightning as L
import torch
from lightning.pytorch.utilities import CombinedLoader
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.mode = input()

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", sum(self.layer(x).square().mean() for (x,) in batch))

    def val_dataloader(self):
        loaders = [DataLoader(TensorDataset(torch.ones(size, 4)), batch_size=2) for size in (8, 16)]
        loader = CombinedLoader(loaders, self.mode)
        return loader

    def test_step(self, batch, batch_idx, dataloader_idx):
        self.log("test_loss", self.layer(batch[0]).square().mean())

    def predict_step(self, batch, batch_idx):
        return self.layer(batch[0])

    def predict_dataloader(self):
        return CombinedLoader([self.train_dataloader(), self.train_dataloader()], "min_size")


def stream():
    return CombinedLoader([DataLoader(TensorDataset(torch.ones(8, 4)))] * 2, "sequential")


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(Net())
    trainer.predict(Net())
    trainer.test(Net(), stream())
    trainer.test(Net(), CombinedLoader([stream().iterables[0]], "max_size"))
