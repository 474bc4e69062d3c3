"""Hooks that draw as they make several loaders, of which those of validation are first needed in the second epoch."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.told = []

    def loader(self, name):
        self.told += [name, torch.is_grad_enabled()]
        return DataLoader(TensorDataset(torch.rand(8, 3)), batch_size=2)

    def train_dataloader(self):
        return self.loader("train")

    def val_dataloader(self):
        return [self.loader("val"), self.loader("val too")]

    def on_train_epoch_start(self):
        self.told += ["epoch", torch.rand(1)]

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", (self.layer(batch[0]) * torch.rand(1)).mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


if __name__ == "__main__":
    L.seed_everything(3)
    net = Net()
    trainer = L.Trainer(
        max_epochs=4,
        logger=False,
        enable_progress_bar=False,
        enable_checkpointing=False,
        num_sanity_val_steps=0,
        check_val_every_n_epoch=2,
    )
    trainer.fit(net)
    results = [net.told, *(each.clone() for each in net.state_dict().values())]
    torch.save(results, f"main_loaded_late.{os.environ.get('RANK', '0')}.results.pt")
