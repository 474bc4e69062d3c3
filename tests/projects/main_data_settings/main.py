"""A data module that is made from a checkpoint, which keeps all its settings as one argument."""

import argparse
import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Settings(L.LightningDataModule):
    """Keeps all its settings as one argument."""

    def __init__(self, args, more=1):
        super().__init__()
        self.save_hyperparameters(args)
        self.more = more

    def train_dataloader(self):
        x = torch.rand(self.hparams.count, 3, generator=torch.Generator().manual_seed(2))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=self.hparams["batch_size"])


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


if __name__ == "__main__":
    L.seed_everything(3)
    model = Model()
    path = "main_data_settings.ckpt"
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False)
    trainer.fit(model, datamodule=Settings(argparse.Namespace(count=8, batch_size=4)))
    trainer.save_checkpoint(path)
    kept = Settings.load_from_checkpoint(checkpoint_path=path, map_location="cpu", more=2, weights_only=False)
    trainer = L.Trainer(max_epochs=1, logger=False, enable_progress_bar=False)
    trainer.fit(model, datamodule=kept)
    saved = torch.load(path, weights_only=False)  # as Lightning reads it
    names = kept.CHECKPOINT_HYPER_PARAMS_NAME, Settings.CHECKPOINT_HYPER_PARAMS_KEY, model.CHECKPOINT_HYPER_PARAMS_KEY
    found = saved[names[0]], dict(saved[names[1]]), dict(kept.hparams), kept.more, names
    torch.save(found, f"main_data_settings.{os.environ.get('RANK', '0')}.results.pt")
