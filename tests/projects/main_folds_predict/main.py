"""Folds by functions: one makes a trainer and fits on a data module, another predicts on loaders of its choice."""

import os
import sys

import lightning as L
import torch
from torch.utils.data import DataLoader


class Rows(L.LightningDataModule):
    def __init__(self, fold=None):
        super().__init__()
        self.fold, self.stages = fold, []

    def setup(self, stage):
        self.stages.append("" + stage)

    def rows(self):
        return torch.rand(12, 3, generator=torch.Generator().manual_seed(self.fold or 0))

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch * 2

    def train_dataloader(self):
        return DataLoader(self.rows(), batch_size=2)

    def other_loader(self):
        return DataLoader(self.rows() + 1, batch_size=4)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def predict_step(self, batch, batch_idx):
        return self.layer(batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def train(model, data):
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False, enable_checkpointing=False)
    trainer.fit(model, data)
    return trainer, model, data


def predict(trainer, model, data):
    return trainer.predict(model, dataloaders=data.other_loader())


def main():
    L.seed_everything(2)
    results = []
    for fold in range(2) if len(sys.argv) == 1 else ():
        trainer, model, data = train(Net(), Rows(fold))
        results.append([predict(trainer, model, data), data.stages])
    if not results:
        trainer, model, data = train(Net(), Rows())
        results.append([predict(trainer, model, data), data.stages])
    torch.save(results, f"main_folds_predict.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
