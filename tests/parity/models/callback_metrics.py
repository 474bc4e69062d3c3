import lightning.pytorch
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ReadsWhatItLogged(lightning.pytorch.LightningModule):
    """Logged values looked up by name in callback_metrics, in the hooks where people do so."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
        self.best = float("inf")
        self.register_buffer("weight", torch.ones(()))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.weight * nn.functional.mse_loss(self.net(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True, prog_bar=True)
        self.log("hidden", loss, logger=False, on_step=False, on_epoch=True)
        return loss

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.log("seen_step", self.trainer.callback_metrics.get("train_loss_step", torch.tensor(-1.0)))

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y), sync_dist=True)

    def on_validation_epoch_end(self):
        current = self.trainer.callback_metrics["val_loss"]
        if not self.trainer.sanity_checking:
            self.best = min(self.best, current.item())
        self.log("best", self.best)

    def on_validation_end(self):
        if not self.trainer.sanity_checking and self.trainer.callback_metrics["val_loss"] > 0.1:
            self.weight += 0.25

    def on_train_epoch_end(self):
        metrics = self.trainer.callback_metrics
        self.log("gap", metrics["val_loss"] - metrics["train_loss_epoch"])
        self.log("names", float(len([name for name in metrics if name.startswith(("train", "hidden"))])))
        self.log("bare", metrics["train_loss"] + metrics["hidden"])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def loader(self, n):
        x = torch.randn(n, 3, generator=torch.Generator().manual_seed(n))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)

    def train_dataloader(self):
        return self.loader(24)

    def val_dataloader(self):
        return self.loader(16)
