import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SometimesALoss(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        loss: torch.Tensor | None = None
        if batch_idx % 2 == 0:
            loss = self.net(batch[0]).square().mean()
            self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.2, momentum=0.5)

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(20, 2, generator=torch.Generator().manual_seed(0))), batch_size=4
        )
