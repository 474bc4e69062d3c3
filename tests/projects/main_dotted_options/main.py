"""What a command line says is merged into mappings of YAML by dotted names; callbacks are put among them."""

import copy
import os
import sys

import lightning as L
import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader

TEXTS = ["seed: 1\ntrainer: {max_epochs: 1}", "seed: 4\ntrainer: {accelerator: cpu}"]


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Count(L.Callback):
    def __init__(self):
        self.counted = []

    def on_train_batch_end(self, trainer, *given):
        self.counted.append(trainer.global_step)


def merge(base, more):
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            merge(base[key], value)
        else:
            base[key] = copy.deepcopy(value)
    return base


def read(text):
    return yaml.safe_load(text) or {}


def options(words):
    config = {}
    for word in words:
        name, value = word.split("=")
        *parts, last = name.split(".")
        current = config
        for part in parts:
            current = current.setdefault(part, {})
        current[last] = yaml.safe_load(value)
    return config


def main():
    config = {}
    for text in TEXTS:
        merge(config, read(text))
    merge(config, options(sys.argv[1:] or ["trainer.max_epochs=3"]))
    settings = copy.deepcopy(config.get("trainer", {}))
    settings.setdefault("accelerator", "cpu")
    settings.setdefault("max_epochs", 1)
    callbacks, count = settings.pop("callbacks", None) or [], Count()
    callbacks.append(count)
    settings["callbacks"] = callbacks
    L.seed_everything(config["seed"])
    trainer = L.Trainer(**settings, enable_progress_bar=False)
    trainer.fit(Net(), DataLoader(torch.arange(24.0).reshape(8, 3) / 24, batch_size=2))
    torch.save(count.counted, f"main_dotted_options.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
