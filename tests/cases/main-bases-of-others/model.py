"""Bases of other candidates are no parts of the model, though a configuration is loaded, and `__all__` names them."""

import argparse
from abc import ABC, abstractmethod
from pathlib import Path

import lightning as L
import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

__all__ = ["Base", "Deep", "Other", "Wide"]


class Base(L.LightningModule, ABC):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.tell(loss)
        return loss

    @abstractmethod
    def tell(self, loss): ...

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Wide(Base):
    def tell(self, loss):
        print(loss)


class Other(Base, ABC):
    def tell(self, loss):
        self.log("loss", loss)


class Deep(Other):
    def on_train_start(self):
        print("starts")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--deep", action="store_true")
    settings = yaml.safe_load((Path(__file__).parent / "settings.yaml").read_text())
    if parser.parse_args().deep:
        model = Deep(settings["width"])
    else:
        model = Wide(settings["width"])
    trainer = L.Trainer(max_epochs=settings["epochs"])
    trainer.fit(model, DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))


if __name__ == "__main__":
    main()
