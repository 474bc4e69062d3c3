import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regression(L.LightningModule):
    def __init__(self, batch_size: int = 6):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = True
        self.net = nn.Sequential(nn.Linear(3, 6), nn.Dropout(0.1), nn.Linear(6, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.mse_loss(self.net(x), y)

    def setup(self, stage=None):
        x = torch.randn(36, 3, generator=torch.Generator().manual_seed(0))
        self.data = TensorDataset(x, x.sum(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(self.data, batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.data, batch_size=self.hparams.batch_size)


class CallsItsOwnHooks(Regression):
    """Hooks that the class calls itself, and steps that take whatever they get."""

    def training_step(self, *args):
        loss = super().training_step(*args)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, *rest):
        was = self.training
        loss = Regression.training_step(self, batch, 0)
        self.log("val_loss", loss, prog_bar=was)
        return loss

    @torch.no_grad()
    def on_train_epoch_end(self):
        self.eval()
        losses = [Regression.training_step(self, batch, i) for i, batch in enumerate(self.val_dataloader())]
        self.train()
        self.log("recomputed", torch.stack(losses).mean())

    def configure_optimizers(self):
        steps = len(self.train_dataloader()) * self.trainer.max_epochs
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, steps)
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]
