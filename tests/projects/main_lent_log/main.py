"""Callbacks with a `log` that nothing calls: an option of theirs, until Lightning lends them the model's."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = int(os.environ.get("RANK", "0"))
SEEN = []


class Notes(L.Callback):
    """Its own option has the name of what Lightning lends, which takes its place."""

    def __init__(self, log: bool = True):
        self.log = bool(log)
        SEEN.append("made" if self.log else "made quiet")

    def on_train_epoch_end(self, trainer, pl_module):
        if self.log and trainer.current_epoch:
            SEEN.append(trainer.current_epoch)
        SEEN.append(1 if not self.log else 2)


class Tested(L.Callback):
    """Logs where nothing tests."""

    def on_test_epoch_end(self, trainer, pl_module):
        self.log("tested", 1.0)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def main():
    L.seed_everything(1)
    data = DataLoader(TensorDataset(torch.randn(40, 6)), 4)
    trainer = L.Trainer(max_epochs=3, enable_progress_bar=False, logger=False, callbacks=[Notes(), Notes(False), Tested()])
    trainer.fit(Net(), data)


if __name__ == "__main__":
    main()
    torch.save(SEEN, f"main_lent_log.{RANK}.results.pt")
