"""What every classifier of waves has."""

import argparse

import torch
from lightning.pytorch import LightningModule
from waves.training.losses import smoothed_cross_entropy
from waves.training.schedules import warmup_cosine


class WaveClassifier(LightningModule):
    def __init__(self, lr=1e-2, warmup=4, smoothing=0.0, **kwargs):
        super().__init__()
        self.save_hyperparameters()

    @classmethod
    def add_model_options(cls, parser: argparse.ArgumentParser):
        parser.add_argument("--lr", type=float, default=0.02)
        parser.add_argument("--warmup", type=int, default=4)
        parser.add_argument("--smoothing", type=float, default=0.05)

    def training_step(self, batch, batch_idx):
        loss, accuracy = self._evaluate(batch)
        self.log_dict({"train/loss": loss, "train/acc": accuracy}, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        loss, accuracy = self._evaluate(batch)
        self.log_dict({"val/loss": loss, "val/acc": accuracy}, sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test/acc", self._evaluate(batch)[1], sync_dist=True)

    def _evaluate(self, batch):
        logits = self(batch["wave"])
        loss = smoothed_cross_entropy(logits, batch["label"], self.hparams.smoothing)
        return loss, (logits.argmax(-1) == batch["label"]).float().mean()

    def configure_optimizers(self):
        decayed = [p for p in self.parameters() if p.dim() > 1]
        others = [p for p in self.parameters() if p.dim() <= 1]
        optimizer = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=self.hparams.lr
        )
        schedule = warmup_cosine(optimizer, self.hparams.warmup, self.trainer.estimated_stepping_batches)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}
