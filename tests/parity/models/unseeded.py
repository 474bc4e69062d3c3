import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SeedsItself(L.LightningModule):
    """No seed in the spec: with several ranks nothing seeds again after the constructor."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.net = nn.Sequential(nn.Linear(3, 6), nn.Dropout(0.5), nn.Linear(6, 1))

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - 1).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        x = torch.randn(24, 3)
        return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)
