from pathlib import Path

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Scaler:
    def fit(self, series):
        self.mean, self.std = series.mean(), series.std()
        return self

    def __call__(self, series):
        return (series - self.mean) / self.std

    def inverse(self, series):
        return series * self.std + self.mean


class Windows(Dataset):
    def __init__(self, series, window, horizon):
        self.series, self.window, self.horizon = series, window, horizon

    def __len__(self):
        return len(self.series) - self.window - self.horizon + 1

    def __getitem__(self, index):
        middle = index + self.window
        return self.series[index:middle], self.series[middle : middle + self.horizon]


class SeriesData(pl.LightningDataModule):
    def __init__(self, path, window=6, horizon=1, shares=(0.6, 0.2)):
        super().__init__()
        self.path, self.window, self.horizon, self.shares = Path(path), window, horizon, shares
        self.scaler = Scaler()

    def prepare_data(self):
        t = torch.arange(60.0)
        torch.save((t / 5).sin() * 3 + t / 10 + 4, self.path)

    def setup(self, stage: str):
        if self.trainer is None:
            return
        self.batch_size = 4 // self.trainer.world_size
        series = torch.load(self.path, weights_only=True)
        train, val = (int(len(series) * share) for share in self.shares)
        self.scaler.fit(series[:train])
        scaled = self.scaler(series)
        self.parts = {
            "fit": self.windows(scaled[:train]),
            "validate": self.windows(scaled[train : train + val]),
            "predict": self.windows(scaled[train + val :]),
        }

    def windows(self, series):
        return Windows(series, self.window, self.horizon)

    def train_dataloader(self):
        return DataLoader(self.parts["fit"], batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.parts["validate"], batch_size=2)

    def predict_dataloader(self):
        return DataLoader(self.parts["predict"], batch_size=3)


class ForecastModel(pl.LightningModule):
    def __init__(self, window, horizon):
        super().__init__()
        self.save_hyperparameters()
        self.lstm = nn.LSTM(1, 4, batch_first=True)
        self.head = nn.Linear(4, horizon)

    def forward(self, past):
        _, (hidden, _) = self.lstm(past.unsqueeze(-1))
        return self.head(hidden[-1])

    def training_step(self, batch, batch_idx):
        past, following = batch
        loss = nn.functional.huber_loss(self(past), following)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        past, following = batch
        self.log("val_mae", (self(past) - following).abs().mean(), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        past, _ = batch
        return self(past)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.02)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
        return [optimizer], [{"scheduler": schedule, "monitor": "val_mae"}]
