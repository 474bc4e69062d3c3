"""Tensors of all ranks in the loss, with and without gradients through them (semantics 15.3)."""

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Contrast(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))

    def training_step(self, batch, batch_idx):
        (x,) = batch
        z = F.normalize(self.layers(x), dim=-1)
        every = self.all_gather(z, sync_grads=True).reshape(-1, 4)
        still = self.all_gather({"z": z, "numbers": [batch_idx, 0.5, True], "name": "z"})
        assert self.trainer.world_size == 1 or not still["z"].requires_grad
        assert still["name"] == "z"
        self.log("numbers", sum(each.float().sum() for each in still["numbers"]))
        return -(z @ every.T).logsumexp(1).mean() + (z @ still["z"].reshape(-1, 4).T).square().mean()

    def validation_step(self, batch, batch_idx):
        every = self.all_gather(self.layers(batch[0]))
        self.log("shape", float(every.dim()))
        self.log("largest", every.max(), reduce_fx="max")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def loader(self, seed):
        x = torch.randn(32, 6, generator=torch.Generator().manual_seed(seed))
        return DataLoader(TensorDataset(x), batch_size=8)

    def train_dataloader(self):
        return self.loader(0)

    def val_dataloader(self):
        return self.loader(1)
