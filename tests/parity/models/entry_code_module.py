import numpy as np
import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Plain(LightningModule):
    """Entry code in other words: bare names, in main(), with the loaders in the module."""

    def __init__(self, width=4):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(2, width), nn.ReLU(), nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val", nn.functional.mse_loss(self.net(x), y))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 0.05)

    def data(self, n):
        x = torch.tensor(np.random.RandomState(n).rand(n, 2), dtype=torch.float32)
        return TensorDataset(x, x.prod(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(self.data(30), 5, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.data(10), 5)


def main():
    seed_everything(7)
    model = Plain(width=6)
    trainer = Trainer(
        accelerator="cpu",
        devices=1,
        max_epochs=3,
        val_check_interval=0.5,
        log_every_n_steps=1,
        enable_progress_bar=False,
        deterministic=True,
    )
    trainer.fit(model)


if __name__ == "__main__":
    main()
