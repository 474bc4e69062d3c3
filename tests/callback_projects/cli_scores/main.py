"""LightningCLI's command `test`, with an object that the code adds to what there is to set."""

from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.cli import LightningCLI
from samples import samples
from torch import nn
from torch.utils.data import DataLoader


class Head(nn.Module):
    def __init__(self, hidden: int = 2, scale: float = 1.0) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.Tanh(), nn.Linear(hidden, 3))
        self.scale = scale

    def forward(self, x):
        return self.scale * self.layers(x)


class Scored(pl.LightningModule):
    def __init__(self, head: nn.Module, margin: float = 0.0) -> None:
        super().__init__()
        self.head = head
        self.margin = margin

    def training_step(self, batch, batch_idx):
        return F.cross_entropy(self.head(batch[0]), batch[1])

    def test_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.head(batch[0]), batch[1], reduction="sum") - self.margin
        self.log("test_loss", loss, sync_dist=True, on_step=True, on_epoch=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(samples(), batch_size=4)

    def test_dataloader(self):
        return DataLoader(samples(20), batch_size=3)


class ScoresCLI(LightningCLI):
    def add_arguments_to_parser(self, parser):
        parser.add_subclass_arguments(nn.Module, "head")
        parser.link_arguments("head", "model.head", apply_on="instantiate")
        parser.link_arguments("trainer.max_epochs", "model.margin", compute_fn=lambda epochs: epochs / 4)

    def before_fit(self):
        raise NotImplementedError("this is for training")

    def before_test(self):
        assert self.subcommand == "test"
        self.model.head.scale += 0.5

    def after_test(self):
        if self.trainer.is_global_zero:
            loss = float(self.trainer.callback_metrics["test_loss_epoch"])
            Path("result.txt").write_text(f"{self.config['test']['trainer']['max_epochs']} {loss:.6f}")


if __name__ == "__main__":
    ScoresCLI(Scored, save_config_callback=None, parser_kwargs={"test": {"default_config_files": ["defaults.yaml"]}})
