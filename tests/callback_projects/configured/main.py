"""Layers made in configure_model, an example that draws random numbers, the trainer's loaders, calls of own hooks."""

import os
from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))
LINES = []

class Noisy(pl.LightningModule):
    def __init__(self, hidden: int = 8) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = None
        self.example_input_array = torch.zeros(2, 6)

    def configure_model(self):
        if self.layers is None:
            hidden = self.hparams.hidden
            self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def forward(self, x):
        return self.layers(x + 0.1 * torch.randn_like(x))

    def step(self, batch):
        x, y = batch
        return F.cross_entropy(self(x), y)

    def training_step(self, batch, batch_idx):
        if batch_idx == 0:
            loader = self.trainer.train_dataloader
            LINES.append(f"{len(loader)} {len(loader.dataset)} {loader.batch_size}")
        return self.step(batch)

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        self.log("val_loss", self.step(batch), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.step(batch), sync_dist=True)

    def on_train_epoch_end(self):
        lengths = [len(loader) for loader in self.trainer.val_dataloaders]

        LINES.append(f"{lengths} {self.example_input_array.sum()}")

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)

    def val_dataloader(self):
        return [DataLoader(samples(16), batch_size=4), DataLoader(samples(8), batch_size=4)]

    def test_dataloader(self):
        return DataLoader(samples(16), batch_size=4)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        steps = 3 * len(self.train_dataloader())
        scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.2, total_steps=steps)
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]

def main() -> None:
    pl.seed_everything(3)
    saving = ModelCheckpoint("kept", "{epoch}")
    trainer = pl.Trainer(
        max_epochs=2,
        callbacks=saving,
        logger=False,
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    model = Noisy()
    trainer.fit(model)
    results = trainer.test(model)
    loaded = Noisy.load_from_checkpoint(saving.best_model_path)
    results.append({name: value.sum().item() for name, value in loaded.state_dict().items()})
    LINES.append(f"{results} {len(trainer.test_dataloaders)}")
    if trainer.is_global_zero:
        Path("result.txt").write_text("\n".join(LINES))

if __name__ == "__main__":
    main()
