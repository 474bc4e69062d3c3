"""LightningModules within the model, which ask their trainer for its epoch and its steps."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
SEEN = []


class Schedule(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        if self.global_step % 3 == 0:
            SEEN.append((self.current_epoch, self.global_step, self.trainer.max_epochs))
        return x * self.scale / (1 + self.current_epoch / self.trainer.max_epochs)


class Doubled(L.LightningModule):
    def forward(self, x):
        trainer = getattr(self, "_trainer", None)
        return x if trainer is None or trainer.current_epoch == 0 else 2 * x


class Encoder(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Sequential(nn.Linear(3, 2), Doubled())
        self.schedule = Schedule()

    def forward(self, x):
        if self._trainer is None:
            return self.layer(x)
        return self.schedule(self.layer(x))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def training_step(self, batch, batch_idx):
        if (trainer := getattr(self, "_trainer", None)) is not None and trainer.global_step == 1:
            SEEN.append(trainer.max_epochs)
        return self.encoder(batch[0]).square().sum()

    def validation_step(self, batch, batch_idx):
        self.log("val", self.encoder(batch[0]).square().sum(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.rand(16, 3)), batch_size=4)

    def val_dataloader(self):
        return DataLoader(TensorDataset(torch.rand(16, 3)), batch_size=4)


if __name__ == "__main__":
    L.seed_everything(3)
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False)
    model = Net()
    SEEN.append((model._trainer is None, model.encoder(torch.ones(1, 3)).sum().item()))
    trainer.fit(model)
    SEEN.append((model._trainer is None, getattr(model, "_trainer", 1) is None))
    trainer.validate(model, verbose=False)
    torch.save(SEEN, f"main_parts.{os.environ.get('RANK', '0')}.results.pt")
