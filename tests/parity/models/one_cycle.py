import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class OneCycle(L.LightningModule):
    """OneCycleLR as in Lightning's documentation: asking for the steps loads the data early."""

    def __init__(self, max_lr: float = 0.1):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(5, 10), nn.Dropout(0.2), nn.ReLU(), nn.Linear(10, 2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, prog_bar=True)
        self.log("lr", self.optimizer.param_groups[0]["lr"])
        self.log("momentum", self.optimizer.param_groups[0]["betas"][0])
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.cross_entropy(self.net(x), y))

    def configure_optimizers(self):
        self.optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.max_lr)
        scheduler = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, max_lr=self.hparams.max_lr, total_steps=self.trainer.estimated_stepping_batches
        )
        return [self.optimizer], [{"scheduler": scheduler, "interval": "step"}]

    def train_dataloader(self):
        # drawn from the global generator: when this is called matters
        x = torch.randn(52, 5)
        return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=4, shuffle=True)

    def val_dataloader(self):
        x = torch.randn(16, 5)
        return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=8)
