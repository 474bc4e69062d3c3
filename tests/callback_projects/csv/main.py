"""A CSVLogger, learning rates, a monitor in the folder of the logger, and what the model and a callback log to it."""

import os
from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch import callbacks
from lightning.pytorch.core.saving import load_hparams_from_yaml
from lightning.pytorch.loggers import CSVLogger
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Norms(pl.Callback):
    """Logs beside `self.log`."""

    def on_train_epoch_start(self, trainer, pl_module):
        norm = sum(p.norm() for p in pl_module.parameters()).item()
        trainer.logger.log_metrics({"norm": norm}, step=trainer.global_step)


class Classifier(pl.LightningModule):
    def __init__(self, hidden: int = 8, lr: float = 0.1) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.hparams.lr = min(lr, 0.05)  # of which the loggers are told nothing
        self.hparams["widths"] = [6, hidden, 3]
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.cross_entropy(self.layers(x), y), on_step=True, on_epoch=True, sync_dist=True)

    def on_train_start(self):
        self.logger.log_hyperparams({"parameters": sum(p.numel() for p in self.parameters())})

    def on_validation_epoch_end(self):
        if not self.trainer.sanity_checking:
            for logger in self.loggers:
                logger.log_metrics({"validated": 1.0}, step=self.global_step)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        return [optimizer], [{"scheduler": scheduler, "interval": "epoch", "name": "rate"}]


def main() -> None:
    pl.seed_everything(3)
    logger = CSVLogger("logs", name="run")
    kept = callbacks.ModelCheckpoint(monitor="val_loss", save_top_k=2, save_last=True, filename="{epoch}-{val_loss:.3f}")
    trainer = pl.Trainer(
        max_epochs=4,
        log_every_n_steps=2,
        logger=logger,
        callbacks=[callbacks.LearningRateMonitor(log_momentum=True), kept, Norms()],
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    trainer.fit(Classifier(), DataLoader(samples(), batch_size=4), DataLoader(samples(), batch_size=8))
    if trainer.is_global_zero:
        metrics = {name: value.item() for name, value in sorted(trainer.callback_metrics.items())}
        Path("result.txt").write_text(f"{kept.best_model_score} {logger.log_dir} {metrics}")
        file = trainer.logger.experiment
        Path("file.txt").write_text(f"{file.metrics_file_path} {file.metrics_keys}")
        saved = load_hparams_from_yaml(Path(logger.log_dir) / "hparams.yaml")
        again = Classifier(**{name: saved[name] for name in ("hidden", "lr")})
        plain = load_hparams_from_yaml(f"{logger.log_dir}/hparams.yaml", use_omegaconf=False)
        none = load_hparams_from_yaml("nowhere.yaml")
        Path("saved.txt").write_text(f"{saved.lr} {sorted(saved)} {again.hparams.lr} {plain['hidden']} {none}")


if __name__ == "__main__":
    main()
