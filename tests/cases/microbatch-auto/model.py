import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.mean = MeanMetric()

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.mean(loss)
        self.log("mean", self.mean)
        return loss

    def configure_optimizers(self):
        return torch.optim.LBFGS(self.parameters())

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
