"""A ModelCheckpoint that exports beside what it saves, and takes that back; a logger that is told another folder."""

import os
from pathlib import Path

import lightning as L
import torch
import wandb
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import WandbLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))


class Exports(ModelCheckpoint):
    """Every rank is told; the first one writes."""

    def __init__(self, **options):
        super().__init__(**options)
        self.removed = []

    def _save_checkpoint(self, trainer, filepath):
        super()._save_checkpoint(trainer, filepath)
        if trainer.is_global_zero:
            Path(f"{filepath}.txt").write_text(f"{trainer.current_epoch} {Path(filepath).exists()}")

    def _remove_checkpoint(self, trainer, filepath):
        super()._remove_checkpoint(trainer, filepath)
        self.removed.append(Path(filepath).name)
        if trainer.is_global_zero:
            Path(f"{filepath}.txt").unlink()
            Path("removed.txt").write_text(f"{self.removed} {Path(filepath).exists()}")


class Plain(ModelCheckpoint):
    """Asks for the last one too, of which it is told nothing."""

    def on_train_epoch_end(self, trainer, pl_module):
        super().on_train_epoch_end(trainer, pl_module)
        self._save_last_checkpoint(trainer, self._monitor_candidates(trainer))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    L.seed_everything(3)
    logger = WandbLogger(name="first", project="runs", id="one", save_dir=".", offline=True)
    if hasattr(logger, "save_dir"):
        logger._save_dir = "kept"
    trainer = L.Trainer(
        max_epochs=4,
        callbacks=[Exports(monitor="loss", save_top_k=2, save_last=True), Plain(dirpath="plain")],
        logger=logger,
        log_every_n_steps=1,
        accelerator="cpu",
        devices=DEVICES,
        strategy="ddp" if DEVICES > 1 else "auto",
        enable_progress_bar=False,
    )
    x = torch.randn(16, 4, generator=torch.Generator().manual_seed(0))
    trainer.fit(Net(), DataLoader(TensorDataset(x), batch_size=4))
    wandb.finish()


if __name__ == "__main__":
    main()
