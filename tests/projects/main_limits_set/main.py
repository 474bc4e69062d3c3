"""A Trainer whose limits the main sets once it is made, before each run anew."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        self.seen.append(("train", batch_idx))
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.seen.append((self.trainer.state.stage.value, batch_idx))
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.seen.append(("test", batch_idx))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def loader(count, seed):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x), batch_size=2)


def without_validation(trainer):
    trainer.num_sanity_val_steps = 0
    trainer.limit_val_batches = 0


if __name__ == "__main__":
    L.seed_everything(1)
    train, val = loader(16, 2), loader(16, 3)
    model, kept = Net(), []
    for is_checked in (False, True):
        trainer = L.Trainer(
            max_epochs=2, limit_val_batches=0.5, enable_progress_bar=False, logger=False, enable_checkpointing=False
        )
        trainer.limit_train_batches = 3
        if not is_checked:
            without_validation(trainer)
        trainer.fit(model, train, val)
        kept.append((trainer.limit_val_batches, trainer.limit_train_batches, trainer.global_step))
    trainer.limit_val_batches = 1.0
    kept.append(trainer.validate(model, val, verbose=False))
    trainer.limit_test_batches = 2
    trainer.test(model, val, verbose=False)
    if trainer.is_global_zero:
        torch.save([model.state_dict(), model.seen, kept], "main_limits_set.results.pt")
