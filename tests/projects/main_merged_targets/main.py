"""Mappings that are unpacked into one and name a class each: what is made of it is of the later one's."""

import os

import hydra
import lightning as L
import torch
from omegaconf import OmegaConf
from torch import nn
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).square().mean()
        self.log("loss", loss)
        return loss

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Evaluator:
    def __init__(self, chosen=None, shown=None, **settings):
        self.chosen = chosen
        self.shown = shown
        self.trainer = L.Trainer(**settings)

    def run(self, model, loader):
        return [dict(self.chosen), dict(self.shown), self.trainer.test(model, loader)]


def evaluator_of(cfg):
    trainer = OmegaConf.to_container(cfg.trainer, resolve=True)
    evaluator = OmegaConf.to_container(cfg.evaluator, resolve=True)
    merged = OmegaConf.create({**trainer, **evaluator})
    return hydra.utils.instantiate(merged, shown=cfg.get("shown"))


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    L.seed_everything(1)
    loader = DataLoader(torch.arange(24.0).reshape(8, 3) / 24, batch_size=1)
    model = Net()
    hydra.utils.instantiate(cfg.trainer).fit(model, loader)
    found = evaluator_of(cfg).run(model, loader)
    torch.save(found, f"main_merged_targets.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
