"""Trains, saving within epochs what no run goes on from; then goes on from there, and from an epoch's end."""

import sys
from pathlib import Path

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader


class Net(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main() -> None:
    (ckpt_path,) = sys.argv[1:] or [None]
    saving = ModelCheckpoint("kept", "{step}", save_top_k=-1, every_n_train_steps=2)
    trainer = pl.Trainer(max_epochs=2, logger=False, callbacks=[saving], enable_progress_bar=False)
    trainer.fit(Net(), DataLoader(torch.ones(8, 6), 2), ckpt_path=ckpt_path)
    Path("steps").write_text(str(trainer.global_step))


if __name__ == "__main__":
    main()
