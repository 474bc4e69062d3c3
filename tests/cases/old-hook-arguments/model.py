import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx=None, optimizer_idx=None):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def on_train_epoch_end(self, outputs):
        print(outputs)

    def on_train_batch_start(self, batch, batch_idx, dataloader_idx):
        print(batch_idx)

    def lr_scheduler_step(self, scheduler, optimizer_idx, metric):
        scheduler.step()

    def on_validation_batch_end(self, outputs, batch, batch_idx, dataloader_idx):
        print(outputs)
