"""A model that calls the hook of a callback of its own, which it has by default, and asks what its trainer has."""

import lightning as L
import torch
from lightning.pytorch import Callback
from lightning.pytorch.trainer.states import TrainerFn
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Averaging(Callback):
    def __init__(self, rate=0.9):
        super().__init__()
        self.rate = rate

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pairs = zip(pl_module.layer.parameters(), pl_module.average.parameters(), strict=True)
        for parameter, average in pairs:
            average.data = self.rate * average.data + (1 - self.rate) * parameter.data
        pl_module.log("rate", self.rate)
        self.rate = 1 - (1 - self.rate) * (1 - trainer.global_step / (trainer.max_epochs * 100))


class AveragedModel(L.LightningModule):
    def __init__(self, averaging: Averaging = Averaging(), size: int = 4):
        super().__init__()
        self.layer, self.average = nn.Linear(size, 1), nn.Linear(size, 1).requires_grad_(False)
        self.averaging = averaging

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.layer(x), y)
        if hasattr(self, "trainer") and hasattr(self.trainer, "state"):
            stage = "fitting" if self.trainer.state.fn == TrainerFn.FITTING else "other"
        else:
            stage = "none"
        self.log(f"{stage}_loss", loss)
        return loss

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.averaging.on_train_batch_end(self.trainer, self, outputs, batch, batch_idx)

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", nn.functional.mse_loss(self.average(batch[0]), batch[1]), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.layer.parameters(), lr=0.1)


class AveragedData(L.LightningDataModule):
    def loader(self, seed):
        x = torch.rand(32, 4, generator=torch.Generator().manual_seed(seed))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=seed == 0)

    def train_dataloader(self):
        return self.loader(0)

    def val_dataloader(self):
        return self.loader(1)
