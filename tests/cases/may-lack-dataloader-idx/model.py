import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, both=False):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.both = both

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def loader(self, size):
        return DataLoader(TensorDataset(torch.ones(size, 4)), batch_size=2)

    def train_dataloader(self):
        return self.loader(8)

    def on_validation_batch_start(self, batch, batch_idx):
        pass

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).mean())

    def val_dataloader(self):
        if self.both:
            return [self.loader(4), self.loader(6)]
        return self.loader(4)
