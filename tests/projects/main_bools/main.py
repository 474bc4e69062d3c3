"""Settings that are numbers, written as true and false, and one that is true or false, written as 0."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def loader(count):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.seen = []

    def loss(self, batch):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.seen.append(("train", self.current_epoch, self.global_step, loss.item()))
        return 20 * loss

    def validation_step(self, batch, batch_idx):
        self.seen.append(("val", batch_idx, self.loss(batch).item()))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def main():
    L.seed_everything(3)
    model = Net()
    trainer = L.Trainer(
        max_epochs=2,
        limit_val_batches=True,
        overfit_batches=False,
        val_check_interval=True,
        check_val_every_n_epoch=True,
        num_sanity_val_steps=False,
        accumulate_grad_batches=True,
        gradient_clip_val=True,
        reload_dataloaders_every_n_epochs=False,
        deterministic=0,
        enable_progress_bar=False,
    )
    trainer.fit(model, loader(24), loader(16))
    torch.save([*model.seen, trainer.global_step], f"main_bools.{RANK}.results.pt")


if __name__ == "__main__":
    main()
