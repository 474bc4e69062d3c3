import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    """Of its 32 samples one is NaN, which one of two ranks reads."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.layer(x).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)

    def train_dataloader(self):
        x = torch.linspace(-1, 1, 96).reshape(32, 3)
        x[13] = float("nan")
        return DataLoader(TensorDataset(x), batch_size=2)
