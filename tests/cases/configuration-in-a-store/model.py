import os
from dataclasses import dataclass, field
from typing import Any

import hydra
import lightning as L
import torch
from hydra.core.config_store import ConfigStore
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, options=None):
        super().__init__()
        self.options = options
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def options():
    return dict(os.environ)


@dataclass
class Small:
    _target_: str = "model.Net"
    options: dict[str, Any] = field(default_factory=options)


ConfigStore.instance().store(group="model", name="small", node=Small)


@hydra.main(version_base="1.3", config_path="conf", config_name="train")
def main(cfg):
    L.Trainer(max_epochs=cfg.epochs).fit(hydra.utils.instantiate(cfg.model))


if __name__ == "__main__":
    main()
