"""A main of hydra's that a class has as a static method, and another of its methods calls."""

import hydra
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.lr = lr
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


class Runner:
    @classmethod
    def start(cls):
        cls.run()

    @staticmethod
    @hydra.main(version_base=None, config_path="conf", config_name="train")
    def run(cfg):
        L.seed_everything(1)
        loader = DataLoader(torch.arange(24.0).reshape(8, 3) / 24, batch_size=2)
        L.Trainer(max_epochs=cfg.epochs, accelerator="cpu").fit(Net(cfg.lr), loader)


if __name__ == "__main__":
    Runner.start()
