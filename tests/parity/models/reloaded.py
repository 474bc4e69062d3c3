import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Curriculum(L.LightningModule):
    """Its data grows with the epochs, and each loader is another draw of it."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.layer(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.layer(x), y), on_step=True, on_epoch=True)

    def on_train_epoch_start(self):
        self.log("noise", torch.rand(1).item())

    def on_train_epoch_end(self):
        self.log("batches", float(self.trainer.num_training_batches))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)

    def train_dataloader(self):
        return self.loader(24 + 8 * self.current_epoch, shuffle=True)

    def val_dataloader(self):
        return self.loader(8 + 4 * self.current_epoch, shuffle=False)

    def loader(self, count, shuffle):
        x = torch.randn(count, 4)
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=shuffle)
