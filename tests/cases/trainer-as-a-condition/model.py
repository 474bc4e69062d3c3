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
        if self.trainer and self.trainer.is_global_zero:
            self.log("mean", x.mean(), rank_zero_only=True)
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningDataModule):
    def setup(self, stage):
        trainer = self.trainer
        self.size = 4 if not trainer else 2
        assert self.trainer is not None and (stage or self.trainer)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=self.size)
