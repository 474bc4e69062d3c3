"""Loaders over streams, and one over rows, that come from a module without Lightning."""

import os

import lightning as L
import torch
from reading import rows, stream

RANK = os.environ.get("RANK", "0")


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    L.seed_everything(3)
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
    net = Net()
    trainer.fit(net, rows(22, shuffle=True), stream(13))
    few = {"max_epochs": 3, "limit_val_batches": 2}
    short = L.Trainer(**few, logger=False, enable_checkpointing=False, enable_progress_bar=False)
    short.fit(net, stream(26), rows(7))
    found = [short.validate(net, rows(8)), short.validate(net, stream(9))]
    torch.save(found, f"main_streams.{RANK}.results.pt")


if __name__ == "__main__":
    main()
