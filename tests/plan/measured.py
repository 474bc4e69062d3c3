"""A model with metrics of torchmetrics, which look at values."""

import lightning as L
import torch
import torchmetrics
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

KIND = {"task": "multiclass", "num_classes": 3}


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.accuracy = torchmetrics.Accuracy(**KIND)
        both = {"accuracy": torchmetrics.Accuracy(**KIND), "f1": torchmetrics.F1Score(**KIND)}
        self.both = torchmetrics.MetricCollection(both, prefix="train_")

    def training_step(self, batch, batch_idx):
        x, target = batch
        scores = self.layer(x)
        self.accuracy(scores, target)
        self.log("accuracy", self.accuracy, on_step=True, on_epoch=True)
        self.log_dict(self.both(scores, target))
        return nn.functional.cross_entropy(scores, target)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.randn(16, 4), torch.randint(0, 3, (16,))), batch_size=8)
