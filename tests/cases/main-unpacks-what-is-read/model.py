import json

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def read(path):
    return json.loads(open(path).read())


def with_callbacks(settings):
    return {**settings, "callbacks": [EarlyStopping("loss")]}


if __name__ == "__main__":
    settings = read("settings.json")
    trainer = L.Trainer(**settings)
    trainer.fit(Net())
    trainer = L.Trainer(**with_callbacks({"max_epochs": 3, "model_registry": "x"}))
    trainer.fit(Net())
    for trainer in [L.Trainer(**with_callbacks({"max_epochs": epochs})) for epochs in (1, 2)]:
        trainer.fit(Net())
