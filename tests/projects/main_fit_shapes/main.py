"""Fits that are given different things: loaders, a data module with hooks of its own, loaders again, several, at last but one."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def samples(count, seed):
    x = torch.rand(count, 3, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x.sum(1, keepdim=True))


class Data(L.LightningDataModule):
    def __init__(self, size=4):
        super().__init__()
        self.save_hyperparameters()
        self.seen = []

    def prepare_data(self):
        self.seen.append("prepare")

    def setup(self, stage):
        self.seen.append("" + stage)

    def teardown(self, stage):
        self.seen.append(stage + " ends")

    def state_dict(self):
        return {"size": self.hparams.size}

    def load_state_dict(self, state_dict):
        self.seen.append(state_dict)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return [tensor * 2 for tensor in batch]

    def train_dataloader(self):
        return DataLoader(samples(24, 0), batch_size=self.hparams.size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(samples(12, 1), batch_size=self.hparams.size)


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.has_data = []

    def on_fit_start(self):
        self.has_data.append(self.trainer.datamodule is not None)

    def loss(self, batch):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def trainer(epochs):
    return L.Trainer(max_epochs=epochs, logger=False, enable_progress_bar=False, enable_checkpointing=False)


def main():
    L.seed_everything(5)
    model, data = Model(), Data()
    train, val = DataLoader(samples(40, 3), batch_size=5, shuffle=True), DataLoader(samples(10, 4), batch_size=5)
    weights = []
    for stage in ("first", "second", "third", "several", "last"):
        one = trainer(2)
        if stage == "second":
            one.fit(model, datamodule=data)
        elif stage == "last":
            one.fit(model, train)
        elif stage == "several":
            one.fit(model, train, val_dataloaders=[val, train])
        else:
            one.fit(model, train, val_dataloaders=val)
        weights.append(model.layer.weight.detach().clone())
        weights.append({name: value.clone() for name, value in one.callback_metrics.items()})
        one.save_checkpoint("fitted.ckpt")
        data.seen.append(torch.load("fitted.ckpt", weights_only=False).get("Data"))
    one.validate(model, datamodule=data, ckpt_path="fitted.ckpt")
    results = {"weights": weights, "seen": data.seen, "has_data": model.has_data}
    torch.save(results, f"main_fit_shapes.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
