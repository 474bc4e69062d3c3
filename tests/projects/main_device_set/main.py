"""Models that are told a device when they are made, as a text or as a device: a trainer tells them another."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Encoder(L.LightningModule):
    def __init__(self, device):
        super().__init__()
        self._device = device
        self.layer = nn.Linear(4, 4)
        self.seen = []

    def forward(self, x):
        self.seen.append(str(self._device))
        return self.layer(x.to(self._device))


class Base(L.LightningModule):
    def __init__(self, device: str = "cpu"):
        super().__init__()
        self._device: str = device
        self.kinds = [self.kind()]

    def kind(self):
        return type(self._device).__name__, str(self._device)


class Net(Base):
    def __init__(self, device, width=4):
        super().__init__(device="meta")
        self.kinds.append(self.kind())
        self._device = device
        self.save_hyperparameters()
        self.encoder = Encoder("meta")
        self.layer = nn.Linear(width, 1)
        self.kinds.append(self.kind())

    def setup(self, stage):
        self.kinds.append(self.kind())

    def configure_optimizers(self):
        self.kinds.append(self.kind())
        return torch.optim.SGD(self.parameters(), lr=0.05)

    def on_fit_start(self):
        self.kinds.append((self.kind(), self._device == self.device))

    def training_step(self, batch, batch_idx):
        x, y = (each.to(self._device) for each in batch)
        loss = nn.functional.mse_loss(self.layer(self.encoder(x)), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.kinds.append(self.kind())
        self.log("val_loss", self.layer(self.encoder(batch[0])).mean())

    def on_fit_end(self):
        self.kinds.append(self.kind())


def loader(seed):
    x = torch.randn(8, 4, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)


def main():
    L.seed_everything(3)
    unused = Net(torch.device("cuda:1"))
    net = Net("cuda")
    trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, num_sanity_val_steps=1)
    trainer.fit(net, loader(1), loader(2))
    kinds = [*net.kinds, net.kind(), unused.kind()]
    torch.save([kinds, net.encoder.seen, unused.kinds], f"main_device_set.{RANK}.results.pt")


if __name__ == "__main__":
    main()
