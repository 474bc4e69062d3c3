from argparse import Namespace

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class System(pl.LightningModule):
    def __init__(self, hparams: Namespace):
        super().__init__()
        self.save_hyperparameters(hparams)
        self.net = nn.Sequential(nn.Linear(4, 6), nn.Dropout(0.1), nn.Tanh(), nn.Linear(6, 2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        # draws: when validation runs is seen in the weights
        x, y = batch
        x = x + 0.1 * torch.randn_like(x)
        self.log("val_loss", nn.functional.cross_entropy(self.net(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.05)

    def train_dataloader(self):
        x = torch.randn(44, 4, generator=torch.Generator().manual_seed(4))
        return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=4, shuffle=True)

    def val_dataloader(self):
        x = torch.randn(8, 4, generator=torch.Generator().manual_seed(5))
        return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=4)
