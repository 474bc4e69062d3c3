"""Evaluates a model whose layers `configure_model` makes: before it is trained, after, and from a checkpoint."""

import json
from pathlib import Path

import lightning as L
import torch.nn.functional as F
from layers import Layers, optimizer_of, samples
from lightning.pytorch.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader


class Made(L.LightningModule):
    def __init__(self, lr: float = 0.01):
        super().__init__()
        self.save_hyperparameters()
        self.layers = None

    def configure_model(self):
        if self.layers is None:
            self.layers = Layers()

    def training_step(self, batch, batch_idx):
        return F.mse_loss(self.layers(batch[0]), batch[0])

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", F.mse_loss(self.layers(batch[0]), batch[0]), sync_dist=True)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layers(batch[0]).square().mean(), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        return self.layers(batch[0])

    def configure_optimizers(self):
        return optimizer_of(self, self.hparams.lr)

    def on_save_checkpoint(self, checkpoint):
        loaders = self.trainer.val_dataloaders
        if isinstance(loaders, list) and hasattr(loaders[0], "state_dict"):
            checkpoint["loaders"] = loaders[0].state_dict()

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)


if __name__ == "__main__":
    L.seed_everything(1)
    loader = DataLoader(samples(16), batch_size=4)
    trainer = L.Trainer(max_epochs=2, callbacks=[ModelCheckpoint("kept", save_weights_only=True)])
    model = Made()
    found = {"before": trainer.validate(model, loader)}
    trainer.fit(model)
    path = trainer.checkpoint_callback.best_model_path
    found |= {
        "validated": trainer.validate(model, loader),
        "tested": trainer.test(model, loader),
        "loaded": trainer.test(Made.load_from_checkpoint(path), loader),
        "read": trainer.test(Made(), loader, ckpt_path=path),
        "predicted": [each.tolist() for each in trainer.predict(model, loader)],
    }
    if trainer.is_global_zero:
        Path("found.json").write_text(json.dumps(found))
