"""Loaders that keep their workers between epochs, for several runs: each run begins with its own."""

import lightning as L
import torch
from samples import Scaled, loader_of
from torch import nn


class Regressor(L.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 1)
        self.seen = []

    def training_step(self, batch, batch_idx):
        x, y = batch
        self.seen.append(x.abs().sum().item())
        return (self.layer(x) - y).pow(2).mean()

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.seen.append(x.abs().sum().item())
        self.log("val_loss", (self.layer(x) - y).pow(2).mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def main():
    L.seed_everything(5)
    data = Scaled()
    train_loader, val_loader = loader_of(data, True), loader_of(data, False)
    model = Regressor(next(iter(train_loader))[0].shape[1])  # by workers whose order is not a rank's
    for stage in range(2):
        data.scale = 2.0**stage
        trainer = L.Trainer(max_epochs=2, logger=False, enable_checkpointing=False, enable_progress_bar=False)
        trainer.fit(model, train_loader, val_loader)
    data.scale = 3.0
    trainer.validate(model, val_loader)
    data.scale = 4.0
    model.seen += [x.abs().sum().item() for x, _ in val_loader]
    if trainer.is_global_zero:
        torch.save(model.seen, "main_persistent_workers.seen.results.pt")


if __name__ == "__main__":
    main()
