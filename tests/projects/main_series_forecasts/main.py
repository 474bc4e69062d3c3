"""A forecast of each of several seeds and widths, told as a table."""

import json
import os
import warnings
from itertools import product

import numpy as np
import lightning.pytorch as pl
import torch
import torch.nn as nn
from lightning.pytorch.callbacks.early_stopping import EarlyStopping
from lightning.pytorch.callbacks.model_checkpoint import ModelCheckpoint
from lightning.pytorch.loggers.csv_logs import CSVLogger
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")
warnings.filterwarnings("ignore", ".*does not have many workers.*")


def make_series(n=400):
    t = np.arange(n)
    rng = np.random.RandomState(0)
    return {"t": t, "y": np.sin(t / 8) + 0.1 * rng.randn(n)}


def windows(y, size, horizon):
    x = np.stack([y[i : i + size] for i in range(len(y) - size - horizon)])
    z = np.stack([y[i + size : i + size + horizon] for i in range(len(y) - size - horizon)])
    return torch.tensor(x, dtype=torch.float32).unsqueeze(-1), torch.tensor(z, dtype=torch.float32)


class SeriesData(pl.LightningDataModule):
    def __init__(self, df, size=12, horizon=3, batch_size=32):
        super().__init__()
        self.df, self.size, self.horizon, self.batch_size = df, size, horizon, batch_size
        self.mean = self.std = None

    def setup(self, stage=None):
        if self.mean is not None:
            return
        y = self.df["y"]
        n = int(len(y) * 0.8)
        self.mean, self.std = y[:n].mean(), y[:n].std()
        y = (y - self.mean) / self.std
        self.train_ds = TensorDataset(*windows(y[:n], self.size, self.horizon))
        self.val_ds = TensorDataset(*windows(y[n:], self.size, self.horizon))

    def train_dataloader(self):
        return DataLoader(self.train_ds, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_ds, batch_size=self.batch_size)

    def predict_dataloader(self):
        return DataLoader(self.val_ds, batch_size=self.batch_size)

    def inverse(self, z):
        return z * self.std + self.mean


class LSTMForecaster(pl.LightningModule):
    def __init__(self, hidden=16, layers=1, horizon=3, lr=1e-2, loss="mse"):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.LSTM(1, hidden, layers, batch_first=True)
        self.out = nn.Linear(hidden, horizon)
        self.loss = {"mse": nn.MSELoss, "mae": nn.L1Loss}[loss]()

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.out(h[:, -1])

    def _step(self, batch, name):
        x, z = batch
        loss = self.loss(self(x), z)
        self.log(f"{name}_loss", loss, on_epoch=True, on_step=False)
        return loss

    def training_step(self, batch, batch_idx):
        return self._step(batch, "train")

    def validation_step(self, batch, batch_idx):
        return self._step(batch, "valid")

    def predict_step(self, batch, batch_idx):
        return self(batch[0])

    def configure_optimizers(self):
        opt = torch.optim.RMSprop(self.parameters(), lr=self.hparams["lr"])
        return [opt], [torch.optim.lr_scheduler.MultiStepLR(opt, [2, 3], gamma=0.3)]


def run_one(df, seed, hidden, max_epochs=3):
    pl.seed_everything(seed)
    dm = SeriesData(df)
    model = LSTMForecaster(hidden=hidden, loss="mae" if seed else "mse")
    es = EarlyStopping(monitor="valid_loss", patience=1, mode="min", verbose=True)
    mc = ModelCheckpoint(monitor="valid_loss", dirpath=f"ck/{seed}_{hidden}", save_top_k=1)
    trainer = pl.Trainer(
        max_epochs=max_epochs,
        callbacks=[es, mc],
        logger=CSVLogger("csv", name=f"s{seed}"),
        enable_progress_bar=False,
        enable_model_summary=False,
        deterministic=True,
    )
    trainer.fit(model, datamodule=dm)
    best = LSTMForecaster.load_from_checkpoint(mc.best_model_path)
    preds = torch.cat(trainer.predict(best, datamodule=dm))
    return {
        "seed": seed,
        "hidden": hidden,
        "stopped": es.stopped_epoch,
        "best": mc.best_model_score.item(),
        "mean": dm.inverse(preds).mean().item(),
    }


if __name__ == "__main__":
    df = make_series()
    rows = [run_one(df, s, h) for s, h in product([0, 1], [8, 16])]
    rows.sort(key=lambda row: row["best"])
    torch.save(rows, f"main_series_forecasts.{RANK}.results.pt")
    with open(f"forecasts.{RANK}.json", "w") as f:
        json.dump(rows, f, indent=2)
