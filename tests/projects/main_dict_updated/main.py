"""Attributes of a model by `self.__dict__.update(...)`, whose names a configuration or a call says."""

import hydra
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader


def scaled(value, by):
    return value * by


class Net(L.LightningModule):
    def __init__(self, width, **given):
        super().__init__()
        self.layer = nn.Linear(width, 1)
        self.rate = 0.1
        self.__dict__.update(given)
        self.__dict__.update(given["metric"])
        vars(self).update(momentum=0.9, **{"nesterov": True})

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).pow(2).mean()
        self.train_loss(loss)
        return self.scale(loss)

    def on_train_epoch_end(self):
        self.log("train_loss", self.train_loss.compute())
        self.train_loss.reset()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.rate, self.momentum, nesterov=self.nesterov)


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=2, logger=False)
    trainer.fit(hydra.utils.instantiate(cfg.model), DataLoader(torch.randn(16, 4), batch_size=2))


if __name__ == "__main__":
    main()
