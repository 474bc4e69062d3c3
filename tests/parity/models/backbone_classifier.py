import math

import lightning.pytorch as pl
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset


class Backbone(torch.nn.Module):
    def __init__(self, hidden_dim=16):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.l1 = torch.nn.Linear(4 * 16, hidden_dim)

    def forward(self, x):
        x = F.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        return torch.relu(self.l1(x.flatten(1)))


class LitClassifier(pl.LightningModule):
    """A backbone that is frozen for the first epoch, and a head that `setup` sizes from the data."""

    def __init__(self, backbone=None, learning_rate: float = 0.001, frozen_epochs: int = 1):
        super().__init__()
        self.save_hyperparameters(ignore=["backbone"])
        if not backbone:
            backbone = Backbone()
        self.backbone = backbone
        self.head = nn.Linear(16, 4, bias=False)
        self.freeze_backbone()

    def freeze_backbone(self):
        for parameter in self.backbone.parameters():
            parameter.requires_grad = False

    def unfreeze_backbone(self):
        for parameter in self.backbone.parameters():
            parameter.requires_grad = True

    def on_train_epoch_start(self) -> None:
        if self.current_epoch == self.hparams.frozen_epochs:
            self.unfreeze_backbone()
        trainable = sum(math.prod(p.shape) for p in self.parameters() if p.requires_grad)
        self.log("trainable", float(trainable))

    def forward(self, x):
        return self.head(self.backbone(x))

    def training_step(self, batch, batch_idx):
        x, y = batch["image"], batch["label"]
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_epoch=True)
        return loss

    @torch.no_grad()
    def validation_step(self, batch, batch_idx):
        logits = self(batch["image"])
        acc = (logits.softmax(dim=-1).argmax(dim=-1) == batch["label"]).float().mean()
        self.log("valid_acc", acc, on_step=True)

    def configure_optimizers(self):
        # all parameters: those that are frozen get no gradients yet
        return torch.optim.Adam(params=self.parameters(), lr=self.hparams.learning_rate)

    def train_dataloader(self):
        return DataLoader(Corners(40), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(Corners(16), batch_size=8)


class Corners(Dataset):
    """Images with one bright quarter, as dicts."""

    def __init__(self, count):
        self.noise = torch.rand(count, 1, 8, 8, generator=torch.Generator().manual_seed(count))

    def __len__(self):
        return len(self.noise)

    def __getitem__(self, i):
        image, label = self.noise[i].clone(), i % 4
        row, column = divmod(label, 2)
        image[:, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] += 0.5
        return {"image": image, "label": label}
