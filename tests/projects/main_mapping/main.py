"""The Trainer's arguments are gathered in a dict, as the command line asks for them."""

import argparse
import os

import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(LightningModule):
    def __init__(self, lr: float):
        super().__init__()
        self.lr = lr
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))

    def loss(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.layers(x), y)

    def training_step(self, batch, batch_idx):
        loss = self.loss(batch)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.lr)


def loader(count: int, shuffle: bool) -> DataLoader:
    x = torch.linspace(-1, 1, 3 * count).view(count, 3)
    return DataLoader(TensorDataset(x, x.sin().sum(1, keepdim=True)), batch_size=4, shuffle=shuffle)


def trainer_arguments(args) -> dict:
    arguments = dict(
        max_epochs=args.epochs,
        accelerator="auto",
        callbacks=[EarlyStopping("val_loss", patience=2)],
        logger=CSVLogger("logs") if args.keep else False,
        num_sanity_val_steps=0,
        check_val_every_n_epoch=2 if args.keep else None,  # no validation by epochs, if it got there
        limit_val_batches=1 if args.clip is None else None,
        default_root_dir=args.root,
    )
    arguments["callbacks"].append(LearningRateMonitor()) if args.keep else None
    if args.clip is not None:
        arguments.update(gradient_clip_val=args.clip, gradient_clip_algorithm="value")
    if args.processes > 1:
        arguments |= {"strategy": "ddp", "devices": args.processes}
    return {key: value for key, value in arguments.items() if value is not None}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--clip", type=float, default=0.05)
    parser.add_argument("--root", default=os.environ.get("RUNS"))
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    seed_everything(7)
    arguments = trainer_arguments(args)
    trainer = Trainer(**arguments, log_every_n_steps=2, enable_progress_bar=False)
    trainer.fit(Regressor(lr=0.02), loader(30, shuffle=True), loader(8, shuffle=False))


if __name__ == "__main__":
    main()
