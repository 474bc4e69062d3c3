import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class TakesOneBranch(L.LightningModule):
    """Each batch uses one of two branches: DDP has to look for the parameters without a gradient."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(3, 4)
        self.even = nn.Linear(4, 1)
        self.odd = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        branch = self.even if batch_idx % 2 == 0 else self.odd
        loss = branch(self.trunk(x).relu()).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.05)

    def train_dataloader(self):
        x = torch.randn(36, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)
