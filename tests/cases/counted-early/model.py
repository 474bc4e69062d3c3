import lightning as L
import torch
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
        self.warmup = self.trainer.num_training_batches
        steps, epoch = self.trainer.estimated_stepping_batches, self.trainer.num_training_batches
        return torch.optim.SGD(self.parameters(), lr=epoch / steps)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
