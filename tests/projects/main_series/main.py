"""A series is written by one process, read by all, scaled by what was trained on, and predicted in the end."""

import os

import lightning.pytorch as pl
import torch
from series import ForecastModel, SeriesData


def main():
    pl.seed_everything(9, workers=True)
    data = SeriesData("series.pt", horizon=2)
    data.setup("fit")  # no trainer has it yet
    model: pl.LightningModule = ForecastModel(data.window, data.horizon)
    trainer: pl.Trainer = pl.Trainer(max_epochs=2, limit_val_batches=2, enable_progress_bar=False)
    trainer.fit(model, data)
    predictions = trainer.predict(model, datamodule=data)
    unscaled = [data.scaler.inverse(each) for each in predictions]
    torch.save(unscaled, f"main_series.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
