"""A run that goes on within an epoch, before which validation is not tried again."""

from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        x, y = batch
        return (self.layer(x) - y).pow(2).mean()

    def validation_step(self, batch, batch_idx):
        self.seen.append((self.trainer.sanity_checking, batch_idx, self.global_step))
        x, y = batch
        self.log("val_loss", (self.layer(x) - y).pow(2).mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def samples(count):
    x = torch.linspace(-1, 1, 3 * count).reshape(count, 3)
    return TensorDataset(x, x.sum(1, keepdim=True))


def train(epochs, folder, ckpt_path=None):
    saving = ModelCheckpoint(folder, filename="{step}", every_n_train_steps=4, save_top_k=-1)
    trainer = L.Trainer(max_epochs=epochs, callbacks=[saving], logger=False, enable_progress_bar=False)
    model = Regressor()
    trainer.fit(model, DataLoader(samples(48), batch_size=4), DataLoader(samples(12), batch_size=4), ckpt_path=ckpt_path)
    return model.seen


def main():
    L.seed_everything(4)
    seen = {"at first": train(1, "steps"), "within": train(2, "more", Path("steps", "step=4.ckpt"))}
    torch.save(seen, "main_goes_on_within.seen.results.pt")


if __name__ == "__main__":
    main()
