import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Forces(lightning.LightningModule):
    """Validates with gradients, and with its normalization in training mode: what Lightning has hooks for (8.4)."""

    def __init__(self, keeps_back: bool = False):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, 1))
        self.keeps_back = keeps_back
        self.modes = []

    def losses(self, batch):
        with torch.enable_grad():
            x = batch[0].clone().requires_grad_()
        energy = self.net(x)
        (force,) = torch.autograd.grad(energy.sum(), x, create_graph=self.training)
        return nn.functional.mse_loss(energy, batch[1]) + force.square().mean()

    def training_step(self, batch, batch_idx):
        assert self.net[1].training
        return self.losses(batch)

    def validation_step(self, batch, batch_idx):
        assert torch.is_grad_enabled()
        self.log("val_loss", self.losses(batch), sync_dist=True)
        self.log("val_modes", float(sum(each.training for each in self.modules())))

    def on_validation_model_zero_grad(self):
        super().on_validation_model_zero_grad()
        self.modes.append("gradients")

    def on_validation_model_eval(self, *args, **kwargs):
        super().on_validation_model_eval(*args, **kwargs)
        torch.set_grad_enabled(True)
        self.net[1].train()

    def on_validation_model_train(self):
        super().on_validation_model_train()
        if self.keeps_back:
            self.net[3].eval()

    def on_train_epoch_end(self):
        self.log("cleared", float(len(self.modes)))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)

    def loader(self, n):
        x = torch.randn(n, 3, generator=torch.Generator().manual_seed(n))
        return DataLoader(TensorDataset(x, x[:, :1]), batch_size=4)

    def train_dataloader(self):
        return self.loader(24)

    def val_dataloader(self):
        return self.loader(12)
