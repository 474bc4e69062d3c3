"""Callbacks that a configuration names in a mapping are made a list in it before its Trainer is made."""

import os

import hydra
import lightning as L
import torch
from omegaconf import OmegaConf, open_dict, read_write
from torch import nn
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.counted = []

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Count(L.Callback):
    def __init__(self, first=0):
        self.first = first

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pl_module.counted.append(self.first + trainer.global_step)


def with_list(config, key):
    values = list(OmegaConf.select(config, key).values())
    with read_write(config), open_dict(config):
        OmegaConf.update(config, key, values or None, merge=False)
    return config


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(config):
    L.seed_everything(1)
    model, loader = Net(), DataLoader(torch.arange(24.0).reshape(8, 3) / 24, batch_size=1)
    config = with_list(config, "trainer.callbacks")
    hydra.utils.instantiate(config.trainer).fit(model, loader)
    torch.save(model.counted, f"main_listed_callbacks.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
