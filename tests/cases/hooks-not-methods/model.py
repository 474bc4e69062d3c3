"""Hooks that class bodies bind by other means than a method, classes of one name, and bases that are not read."""

import os

import lightning as L
import torch
from elsewhere import Reports
from huggingface_hub import PyTorchModelHubMixin
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def say(self):
    print("said")


class Net(Reports, L.LightningModule, PyTorchModelHubMixin):
    on_fit_start: object = say
    (on_fit_end, size) = (say, 3)
    if os.environ.get("VERBOSE"):

        def on_train_end(self):
            print("in a branch")

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Log:
    def log_all(self):
        return {}


class Log(Log):
    pass


class Logs(Log):
    pass


if os.environ.get("LOUD"):

    class Watch(L.Callback):
        def on_train_end(self, trainer, pl_module):
            print("loud")

else:

    class Watch(L.Callback):
        def on_train_start(self, trainer, pl_module):
            print("quiet")


if __name__ == "__main__":
    trainer = L.Trainer(max_epochs=1, callbacks=[Watch()])
    print(Logs())
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
