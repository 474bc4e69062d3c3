import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


SIZE = 4  # of a row


def rows(count):
    """As many rows, always the same."""
    return TensorDataset(torch.randn(count, SIZE, generator=torch.Generator().manual_seed(0)))


class Net(L.LightningModule):
    """Pulls rows to zero."""

    def __init__(self, hidden: int = 8, lr: float = 0.1):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(SIZE, hidden), nn.Dropout(0.1), nn.Linear(hidden, 1))

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.net(x).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True, prog_bar=True)
        return loss

    def on_train_epoch_start(self):
        self.print("epoch", self.current_epoch, "of", self.trainer.max_epochs)

    def validation_step(self, batch, batch_idx):
        (x,) = batch
        self.log("val_loss", self.net(x).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


class Data(L.LightningDataModule):
    def __init__(self, batch_size: int = 4):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        self.train, self.val = rows(40), rows(16)

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, self.batch_size)


if __name__ == "__main__":
    L.seed_everything(1)
    trainer = L.Trainer(max_epochs=3, accumulate_grad_batches=2, gradient_clip_val=1.0)
    trainer.fit(Net(hidden=16), datamodule=Data())
