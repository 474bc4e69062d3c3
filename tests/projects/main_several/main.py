"""Compares two models on two sets of data, all with one training loop."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Fit(L.LightningModule):
    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Line(Fit):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(2, 1)

    def forward(self, x):
        return self.line(x)


class Curve(Fit):
    def __init__(self, width=8):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(
            nn.Linear(2, width), nn.BatchNorm1d(width), nn.Tanh(), nn.Linear(width, 1)
        )

    def forward(self, x):
        return self.layers(x)


class Saddle(L.LightningDataModule):
    def values(self, x):
        return x[:, :1] * x[:, 1:]

    def setup(self, stage):
        x = torch.rand(36, 2, generator=torch.Generator().manual_seed(1)) * 2 - 1
        self.train, self.val = TensorDataset(x[:24], self.values(x[:24])), TensorDataset(
            x[24:], self.values(x[24:])
        )

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=6)


class Waves(Saddle):
    def values(self, x):
        return (3 * x).sin().sum(1, keepdim=True)


MODELS = {"line": Line, "curve": Curve}
DATA = [Saddle, Waves]


def main():
    losses = {}
    for source in DATA:
        for name, model_class in MODELS.items():
            L.seed_everything(3)
            model = model_class()
            trainer = L.Trainer(
                max_epochs=2, logger=False, enable_progress_bar=False, enable_checkpointing=False
            )
            trainer.fit(model, datamodule=source())
            losses[source.__name__, name] = trainer.callback_metrics["val_loss"]
    torch.save(losses, "main_several.losses.results.pt")


if __name__ == "__main__":
    main()
