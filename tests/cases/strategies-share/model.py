import sys
from datetime import timedelta

import lightning as L
import torch
from lightning.pytorch.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layer = nn.Linear(4, hidden)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.layer(x).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def pretrain(net):
    L.Trainer(max_epochs=2, strategy=DDPStrategy(timeout=timedelta(minutes=20), bucket_cap_mb=10)).fit(net)


def finetune(net):
    L.Trainer(max_epochs=1, strategy=DDPStrategy(static_graph=True, timeout=timedelta(minutes=5))).fit(net)


def again(net):
    L.Trainer(max_epochs=1, strategy="ddp").fit(net)


if __name__ == "__main__":
    {"pretrain": pretrain, "finetune": finetune}.get(sys.argv[1], again)(Net())
