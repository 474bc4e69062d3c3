"""Methods that are called as hooks of Lightning 1 were, by the code itself: they are no hooks."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Count(L.Callback):
    def __init__(self):
        self.batches = 0

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.on_batch_end(trainer)

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.on_batch_end(trainer)

    def on_batch_end(self, trainer):
        self.batches += 1


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.training_step_end(self.layer(batch[0]))

    def training_step_end(self, out):
        return out.square().mean()

    def configure_callbacks(self):
        return [Count()]

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
