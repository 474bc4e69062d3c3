from dataclasses import dataclass

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class ModelConfig:
    inputs: int = 4
    hidden: int = 3


@dataclass
class OptimConfig:
    lr: float = 1e-3
    momentum: float = 0.9


class Network(L.LightningModule):
    def __init__(self, model: ModelConfig, optim: OptimConfig):
        super().__init__()
        self.model, self.optim = model, optim
        self.layers = nn.Sequential(nn.Linear(model.inputs, model.hidden), nn.Mish(), nn.Linear(model.hidden, 1))

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = (self.layers(x).squeeze(1) - x.norm(dim=1)).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.optim.lr, momentum=self.optim.momentum)

    def train_dataloader(self):
        x = torch.randn(24, self.model.inputs, generator=torch.Generator().manual_seed(8))
        return DataLoader(TensorDataset(x), batch_size=4, shuffle=True)
