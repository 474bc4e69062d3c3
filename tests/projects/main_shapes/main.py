"""Evaluations that are given different things: a data module, loaders with and without one before, other trainers."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def samples(count, seed):
    x = torch.rand(count, 3, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x.sum(1, keepdim=True))


class Data(L.LightningDataModule):
    def __init__(self):
        super().__init__()
        self.seen = []

    def prepare_data(self):
        self.seen.append("prepare")

    def setup(self, stage):
        self.seen.append("" + stage)

    def teardown(self, stage):
        self.seen.append(stage + " ends")

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return [tensor * 2 for tensor in batch]

    def train_dataloader(self):
        return DataLoader(samples(24, 0), batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(samples(12, 1), batch_size=4)

    def test_dataloader(self):
        return DataLoader(samples(8, 2), batch_size=4)


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def loss(self, batch):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.loss(batch), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        return self.layer(batch[0])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def main():
    L.seed_everything(5)
    options = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    model, data = Model(), Data()
    loader = DataLoader(samples(10, 3), batch_size=5)
    other = L.Trainer(max_epochs=1, logger=False, enable_progress_bar=False, enable_model_summary=False)
    results = {"options": sorted(options), "before": other.test(model, loader, verbose=False)}
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False, enable_checkpointing=True)
    results["validated"] = trainer.validate(model, loader, verbose=False)
    trainer.fit(model, datamodule=data)
    results["own"] = trainer.test(model, datamodule=data, verbose=False)
    results["given"] = trainer.test(model, dataloaders=loader, verbose=False)
    results["best"] = trainer.test(dataloaders=loader, ckpt_path="best", verbose=False)
    results["other"] = other.test(model, loader)
    results["again"] = trainer.validate(model, dataloaders=data.val_dataloader(), verbose=False)
    results["predicted"] = trainer.predict(model, loader)
    results["seen"] = data.seen
    torch.save(results, f"main_shapes.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
