"""Optimizers that the model wraps itself in Lightning's class, as Lightning does; memory is freed within the training."""

import os

import lightning as L
import torch
from lightning.pytorch.core.optimizer import LightningOptimizer
from lightning.pytorch.utilities.memory import garbage_collection_cuda
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, schedules):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.schedules, self.rates = schedules, []

    def training_step(self, batch, batch_idx):
        self.rates.append(self.optimizers().param_groups[0]["lr"])
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def on_train_epoch_end(self):
        garbage_collection_cuda()

    def made(self, **options):
        return torch.optim.Adam(self.parameters(), **options)

    def configure_optimizers(self):
        optimizer = LightningOptimizer(self.made(lr=0.1 * self.trainer.max_epochs))
        if self.schedules:
            scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}
        return {"optimizer": optimizer}


def main():
    x = torch.randn(32, 4, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
    found = []
    for schedules in (True, False):
        L.seed_everything(3)
        model = Net(schedules)
        trainer = L.Trainer(max_epochs=2, gradient_clip_val=0.5, enable_progress_bar=False)
        trainer.fit(model, loader)
        found.append([model.state_dict(), model.rates])
    torch.save(found, f"main_made_optimizers.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
