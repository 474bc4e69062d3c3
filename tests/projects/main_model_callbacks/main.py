"""A model that brings the callback which knows the best checkpoint, and brings another one to every run."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def loader(count):
    return DataLoader(TensorDataset(torch.arange(3.0 * count).reshape(count, 3) / count), batch_size=4)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).sum().abs()
        self.log("loss", loss, on_epoch=True, on_step=False, sync_dist=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def configure_callbacks(self):
        return [ModelCheckpoint(monitor="val_loss", dirpath="kept-by-model")]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.02)


def main():
    L.seed_everything(8)
    trainer = L.Trainer(max_epochs=4, enable_progress_bar=False)
    net = Net()
    trainer.fit(net, loader(24), loader(8))
    found = trainer.test(net, loader(16), ckpt_path="best")
    torch.save(found, f"main_model_callbacks.{RANK}.results.pt")


if __name__ == "__main__":
    main()
