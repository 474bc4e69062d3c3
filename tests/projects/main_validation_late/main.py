"""A hook turns validation off and on, of data that is made late and made anew, within epochs."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Data(L.LightningDataModule):
    def __init__(self):
        super().__init__()
        self.made = []

    def train_dataloader(self):
        return loader(16, 2)

    def val_dataloader(self):
        self.made.append((self.trainer.current_epoch, torch.rand(1).item()))
        return loader(8 + 2 * self.trainer.current_epoch, 3)


def loader(count, seed):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x), batch_size=2, shuffle=True)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.seen = []

    def on_train_start(self):
        self.trainer.limit_val_batches = 0

    def training_step(self, batch, batch_idx):
        is_on = self.trainer.current_epoch in (2, 3, 5) and batch_idx > 1
        self.trainer.limit_val_batches = 1.0 if is_on else 0.0
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.seen.append((self.trainer.current_epoch, self.global_step, batch_idx))
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


if __name__ == "__main__":
    L.seed_everything(1)
    model, data = Net(), Data()
    trainer = L.Trainer(
        max_epochs=7,
        val_check_interval=0.25,
        check_val_every_n_epoch=2,
        num_sanity_val_steps=0,
        reload_dataloaders_every_n_epochs=1,
        enable_progress_bar=False,
        enable_checkpointing=False,
    )
    trainer.fit(model, data)
    metrics = {name: value.item() for name, value in trainer.callback_metrics.items()}
    torch.save([model.state_dict(), model.seen, data.made, metrics], f"main_validation_late.{RANK}.results.pt")
