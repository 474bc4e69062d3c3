"""Checkpoints by name: the last and the best, in training and outside of it; and what callbacks have of them then."""

import os
from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))
LINES = []


class Counter(Callback):
    """Counts batches, and is told of checkpoints."""

    def __init__(self):
        self.count = 0

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.count += 1

    def on_load_checkpoint(self, trainer, pl_module, checkpoint):
        LINES.append(f"callback loads epoch {checkpoint['epoch']}, after {self.count}")

    def state_dict(self):
        return {"count": self.count}

    def load_state_dict(self, state_dict):
        self.count = state_dict["count"]


class Classifier(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))

    def step(self, batch):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def training_step(self, batch, batch_idx):
        return self.step(batch)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.step(batch), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.step(batch), sync_dist=True)

    def on_load_checkpoint(self, checkpoint):
        LINES.append(f"model loads epoch {checkpoint['epoch']}")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=3.0)


def main() -> None:
    pl.seed_everything(3)
    train, val = DataLoader(samples(), batch_size=4), DataLoader(samples(), batch_size=8)
    for epochs in (2, 5):
        best = ModelCheckpoint("kept", "{epoch}", monitor="val_loss", save_last=True, save_top_k=2)
        counter = Counter()
        trainer = pl.Trainer(
            max_epochs=epochs,
            callbacks=[counter, best],
            logger=False,
            num_sanity_val_steps=0,
            accelerator="cpu",
            strategy="ddp" if DEVICES > 1 else "auto",
            devices=DEVICES,
        )
        model = Classifier()
        trainer.fit(model, train, val, ckpt_path="last")
        LINES.append(f"trained: {trainer.current_epoch} {trainer.global_step} {counter.count}")
    names = sorted(path.name for path in Path("kept").iterdir())
    for given in ("best", "last", os.path.join("kept", names[0]), None):
        results = trainer.test(model, val, ckpt_path=given)
        kept = [os.path.basename(path) for path in (best.best_model_path, best.last_model_path)]
        LINES.append(f"{results} {counter.count} {kept} {best.best_model_score}")
    LINES.append(f"{trainer.validate(dataloaders=val)} {trainer.validate(ckpt_path='last', dataloaders=val)}")
    if trainer.is_global_zero:
        Path("result.txt").write_text("\n".join(LINES))


if __name__ == "__main__":
    main()
