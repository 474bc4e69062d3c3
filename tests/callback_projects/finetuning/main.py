"""A callback freezes a backbone and thaws it in stages, with a group of parameters for each; training stops at a score."""

import argparse
import os
from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, EarlyStopping, ModelCheckpoint
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Thaw(Callback):
    """From the last layer to the first, one after so many epochs; its progress is in the checkpoints."""

    def __init__(self, every: int, lr: float):
        super().__init__()
        self.every, self.lr = every, lr
        self.thawed = 0

    def state_dict(self):
        return {"thawed": self.thawed}

    def load_state_dict(self, state_dict):
        self.thawed = state_dict["thawed"]

    def on_fit_start(self, trainer, pl_module):
        for index, layer in enumerate(pl_module.backbone):
            layer.requires_grad_(len(pl_module.backbone) - index <= self.thawed)

    def on_train_epoch_start(self, trainer, pl_module):
        if trainer.current_epoch and trainer.current_epoch % self.every == 0 and self.thawed < len(pl_module.backbone):
            self.thawed += 1
            layer = pl_module.backbone[-self.thawed].requires_grad_()
            (optimizer,) = trainer.optimizers
            optimizer.add_param_group({"params": list(layer.parameters()), "lr": self.lr / 2**self.thawed})

    def on_train_end(self, trainer, pl_module):
        if trainer.is_global_zero:
            groups = [group["lr"] for group in trainer.optimizers[0].param_groups]
            Path("groups.txt").write_text(f"{self.thawed} {groups} {trainer.max_epochs}")


class Classifier(L.LightningModule):
    def __init__(self, lr: float = 0.1) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.backbone = nn.Sequential(nn.Linear(6, 8), nn.Linear(8, 8))
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        for layer in self.backbone:
            x = layer(x).tanh()
        return self.head(x)

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self(batch[0]), batch[1])
        self.log("train/loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val/acc", (self(x).argmax(1) == y).float().mean(), prog_bar=True, sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.head.parameters(), lr=self.hparams.lr, momentum=0.9)


def cli():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--stop_at", type=float, default=0.9)
    parser.add_argument("--thaw_every", type=int, default=2)
    return parser.parse_args([])


if __name__ == "__main__":
    args = cli()
    L.seed_everything(3)
    best = ModelCheckpoint(
        dirpath="best",
        filename="{epoch:02d}-{val/acc:.2f}",
        auto_insert_metric_name=False,
        monitor="val/acc",
        mode="max",
        save_weights_only=True,
    )
    enough = EarlyStopping(monitor="val/acc", mode="max", patience=3, stopping_threshold=args.stop_at, min_delta=0.01)
    trainer = L.Trainer(
        accelerator="cpu",
        strategy="ddp_find_unused_parameters_true" if DEVICES > 1 else "auto",
        devices=DEVICES,
        max_epochs=args.epochs,
        logger=False,
        enable_progress_bar=False,
        callbacks=[Thaw(args.thaw_every, lr=0.1), best, enough],
    )
    model = Classifier()
    trainer.fit(model, DataLoader(samples(), batch_size=5, shuffle=True), DataLoader(samples(), batch_size=10))
    if trainer.is_global_zero:
        Path("result.txt").write_text(f"{trainer.current_epoch} {enough.stopped_epoch} {best.best_model_score:.4f}")
