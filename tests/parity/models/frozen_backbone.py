import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Backbone(nn.Module):
    def __init__(self, out: int):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, out), nn.BatchNorm1d(out), nn.ReLU(), nn.Dropout(0.5))

    def forward(self, x):
        return self.layers(x)


class FineTuner(L.LightningModule):
    """A frozen part that stays in eval mode through training and after each validation."""

    def __init__(self, out: int = 10, lr: float = 0.05):
        super().__init__()
        self.save_hyperparameters()
        self.backbone = Backbone(out)
        self.head = nn.Sequential(nn.Dropout(0.2), nn.BatchNorm1d(out), nn.Linear(out, 2))
        self.backbone.requires_grad_(False)

    def on_train_start(self):
        self.backbone.eval()

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.head(self.backbone(x)), y)
        self.log("train_loss", loss)
        self.log("in_training", float(self.backbone.training) + 2.0 * self.head.training)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.cross_entropy(self.head(self.backbone(x)), y))

    def configure_optimizers(self):
        params = filter(lambda p: p.requires_grad, self.parameters())
        return torch.optim.AdamW(params, lr=self.hparams.lr, amsgrad=True)

    def train_dataloader(self):
        return DataLoader(self.dataset(40, 0), batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.dataset(16, 1), batch_size=8)

    def dataset(self, n, seed):
        x = torch.randn(n, 6, generator=torch.Generator().manual_seed(seed))
        return TensorDataset(x, (x.sum(1) > 0).long())
