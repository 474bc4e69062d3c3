"""Data modules that are made from checkpoints, with their arguments and their state."""

import os
from dataclasses import dataclass

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEEN = []


@dataclass
class Noise:
    scale: float = 0.5


class Numbers(L.LightningDataModule):
    """Tells how it was made, and how far it was."""

    def __init__(self, count: int, batch_size: int = 2, name: str = "numbers", noise: Noise = Noise()):
        super().__init__()
        self.save_hyperparameters(ignore=["name"])
        self.noise, self.name, self.epochs = noise, name, 0

    def train_dataloader(self):
        self.epochs += 1
        x = torch.rand(self.hparams.count, 3, generator=torch.Generator().manual_seed(1))
        x += self.noise.scale
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=self.hparams.batch_size)

    def state_dict(self):
        return {"epochs": self.epochs}

    def load_state_dict(self, state_dict):
        self.epochs = state_dict["epochs"]


class Plain(Numbers):
    def __init__(self, count: int = 4):
        super().__init__(count)


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def train(data, path):
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False, reload_dataloaders_every_n_epochs=1)
    trainer.fit(model, datamodule=data)
    trainer.save_checkpoint(path)


def told(data):
    SEEN.append([{**data.hparams, "noise": data.noise.scale}, data.name, data.epochs])
    return data


if __name__ == "__main__":
    L.seed_everything(3)
    model = Model()
    train(Numbers(6, noise=Noise()), "main_data_loaded.ckpt")
    loaded = told(Numbers.load_from_checkpoint("main_data_loaded.ckpt", noise=Noise(0.25), weights_only=False))
    told(Numbers.load_from_checkpoint("main_data_loaded.ckpt", batch_size=3, name="other", noise=Noise(), weights_only=False))
    train(loaded, "main_data_loaded.ckpt")
    told(Plain.load_from_checkpoint("main_data_loaded.ckpt", count=2, weights_only=False))
    torch.save(SEEN, f"main_data_loaded.{os.environ.get('RANK', '0')}.results.pt")
