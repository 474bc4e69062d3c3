"""A main that saves the hyperparameters of its model and of its data: of classes that save none, and of some that do."""

import argparse
import os
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
from omegaconf import OmegaConf
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))


class Net(L.LightningModule):
    def __init__(self, hidden=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.get("lr", 0.1))


class Saving(Net):
    def __init__(self, hidden=3, lr=0.3):
        super().__init__(hidden)
        self.save_hyperparameters()


class Data(L.LightningDataModule):
    def __init__(self, rows=16):
        super().__init__()
        self.rows = rows

    def train_dataloader(self):
        x = torch.rand(self.rows, 4, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)


def build(kind, args):
    model = kind(hidden=args.hidden)
    model.save_hyperparameters(args, ignore=["secret"])
    return model


def train(name, model, data):
    """What is changed here is not what was saved; a whole configuration takes the place of what was."""
    kept = ModelCheckpoint(dirpath=f"kept_{name}", save_last=name != "configured", save_top_k=int(name != "configured"))
    trainer = L.Trainer(
        max_epochs=2,
        accelerator="cpu",
        devices=DEVICES,
        strategy="ddp" if DEVICES > 1 else "auto",
        logger=[CSVLogger("logs", name=name), TensorBoardLogger("logs", name=f"{name}_events")],
        callbacks=[kept],
        log_every_n_steps=1,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    model.hparams.lr = 0.02
    trainer.fit(model, datamodule=data)
    told = [dict(model.hparams), dict(model.hparams_initial)]
    if name != "configured":  # whose checkpoint holds an object
        told.append(type(model).load_from_checkpoint(kept.last_model_path).net[0].out_features)
    if trainer.is_global_zero:
        Path(f"{name}.txt").write_text(repr(told))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=5)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--secret", default="xyz")
    args = parser.parse_args([])

    L.seed_everything(3)
    for kind in (Net, Saving):
        model, data = build(kind, args), Data()
        model.save_hyperparameters({"note": "of the main", "nested": {"a": [1, 2]}})
        model.save_hyperparameters({}, ignore="note")
        data.save_hyperparameters({"rows": 8, "source": "drawn", "hidden": args.hidden}, logger=True)
        train(kind.__name__, model, data)

    cfg = OmegaConf.create({"hidden": 3, "lr": 0.1, "half": "${lr}"})
    model = Net()
    model.save_hyperparameters(cfg)
    train("configured", model, Data())


if __name__ == "__main__":
    main()
