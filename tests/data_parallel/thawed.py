"""A model whose backbone a callback thaws after an epoch; each rank writes what it has in the end."""

import json
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import BackboneFinetuning
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Thawed(L.LightningModule):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.backbone, self.head = nn.Linear(4, 4), nn.Linear(4, 1)

    def configure_callbacks(self):
        return [BackboneFinetuning(unfreeze_backbone_at_epoch=1)]

    def training_step(self, batch, batch_idx):
        return self.head(self.backbone(batch[0])).square().mean()

    def on_train_end(self):
        Path(f"weights-{self.global_rank}.json").write_text(json.dumps(self.backbone.weight.tolist()))

    def configure_optimizers(self):
        return torch.optim.SGD([each for each in self.parameters() if each.requires_grad], lr=0.1)

    def train_dataloader(self):
        rows = torch.randn(16, 4, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(rows), batch_size=2)
