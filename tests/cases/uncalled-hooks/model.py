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
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).mean())

    def predict_step(self, batch, batch_idx):
        return self.layer(batch[0])

    def on_test_epoch_end(self):
        print("tested")

    def test_dataloader(self):
        return self.train_dataloader()

    def on_exception(self, exception):
        print("failed", exception)
