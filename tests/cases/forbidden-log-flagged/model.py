import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.is_quiet = self.is_loud = self.is_set = self.is_kept = False

    def silent(self, x):
        if not self.is_quiet:
            self.log("silent", self.layer(x).mean())

    def otherwise(self, x):
        if not self.is_loud or self.training:
            self.log("otherwise", self.layer(x).mean())

    def unset(self, x):
        if not self.is_set:
            self.log("unset", self.layer(x).mean())

    def kept(self, x):
        if not self.is_kept:
            self.log("kept", self.layer(x).mean())

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def setup(self, stage):
        x = torch.ones(2, 4)
        self.is_quiet = True
        self.silent(x)
        self.is_quiet = False
        self.is_loud = True
        self.otherwise(x)
        self.is_set = True
        for _ in range(2):
            self.unset(x)
            self.is_set = False
        self.is_kept = True
        self.kept(x)

    def on_train_start(self):
        self.is_kept = False

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
