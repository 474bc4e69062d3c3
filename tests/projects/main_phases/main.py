"""One model in two phases, by Trainers that are told different things."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.2), nn.Linear(4, 1))
        self.seen = []

    def training_step(self, batch, batch_idx):
        self.seen.append((self.trainer.max_epochs, self.trainer.max_steps, self.trainer.val_check_interval))
        return (self.net(batch[0]).squeeze(1) - batch[0].sum(1)).square().mean()

    def on_validation_epoch_end(self):
        self.seen.append("validated")

    def validation_step(self, batch, batch_idx):
        self.log("val", self.net(batch[0]).mean() + torch.rand(()), sync_dist=True)

    def configure_optimizers(self):
        total = self.trainer.estimated_stepping_batches
        self.seen.append(total)
        return torch.optim.SGD(self.parameters(), lr=1 / total)


def loader(count):
    return DataLoader(TensorDataset(torch.randn(count, 3, generator=torch.Generator().manual_seed(count))), 4)


def main():
    L.seed_everything(4)
    model = Net()
    quiet = not os.environ.get("LOUD")
    warm_up = L.Trainer(max_steps=7, limit_val_batches=0, logger=False, enable_progress_bar=not quiet)
    warm_up.fit(model, loader(20), loader(8))
    trainer = L.Trainer(
        max_epochs=2,
        accumulate_grad_batches=2,
        gradient_clip_val=0.1,
        gradient_clip_algorithm="norm",
        val_check_interval=2,
        num_sanity_val_steps=-1,
        logger=False,
        enable_progress_bar=not quiet,
    )
    trainer.fit(model, loader(20), loader(8))
    torch.save(model.seen, f"main_phases.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
