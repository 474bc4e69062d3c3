"""TensorBoard, Weights & Biases and MLflow beside each other, in training and in a test."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
import wandb
from lightning.pytorch.callbacks import Callback, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import MLFlowLogger, TensorBoardLogger, WandbLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"


class Notes(Callback):
    """Logs when validation is over, which its values come before."""

    def on_validation_end(self, trainer, pl_module):
        if not trainer.sanity_checking:
            for logger in trainer.loggers:
                logger.log_metrics({"validated": 1.0}, step=trainer.global_step)

    def on_test_end(self, trainer, pl_module):
        for logger in trainer.loggers:
            logger.log_metrics({"tested": 1.0}, step=trainer.global_step)
            if isinstance(logger, MLFlowLogger):
                place = logger._tracking_uri, logger._experiment_name, logger._artifact_location
                logger.log_hyperparams({"place": str(place), "same": logger._run_id == logger.run_id})


class Classifier(pl.LightningModule):
    def __init__(self, hidden: int = 8, lr: float = 0.1, head: dict | None = None) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def step(self, batch):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def training_step(self, batch, batch_idx):
        loss = self.step(batch)
        self.log("train/loss", loss, on_step=True, on_epoch=True)
        self.log("hidden", loss, logger=False)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val/loss", self.step(batch), on_step=True, on_epoch=True, sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test/loss", self.step(batch), on_step=True, on_epoch=True, sync_dist=True)

    def on_train_epoch_end(self):
        self.logger.experiment.add_histogram("bias", self.layers[0].bias, self.current_epoch)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


def main() -> None:
    pl.seed_everything(3)
    loggers = [
        TensorBoardLogger("board", name="run"),
        WandbLogger(project="runs", save_dir=".", offline=True, prefix="own"),
        MLFlowLogger("runs", tracking_uri="file:./ml", run_name="first"),
    ]
    trainer = pl.Trainer(
        max_epochs=2,
        log_every_n_steps=2,
        logger=loggers,
        callbacks=[LearningRateMonitor(), Notes(), ModelCheckpoint(monitor="val/loss", filename="best")],
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    model = Classifier(head={"width": 3, "bias": True})
    train, val = DataLoader(samples(), batch_size=4), DataLoader(samples(), batch_size=8)
    trainer.fit(model, train, val)
    trainer.test(model, DataLoader(samples(), batch_size=4))
    wandb.finish()


if __name__ == "__main__":
    main()
