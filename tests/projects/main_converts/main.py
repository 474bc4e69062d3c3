"""A main that converts its models: `dtype` goes with them, before training, after it, and once they are loaded."""

import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = int(os.environ.get("RANK", "0"))
SEEN = []


class Encoder(L.LightningModule):
    """A part that asks as well."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 4)

    def forward(self, x):
        SEEN.append((self.dtype, self.device))
        return self.layer(x.to(self.dtype))


class Net(L.LightningModule):
    def __init__(self, convert=False):
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Linear(4, 1)
        if convert:
            self.double()
        SEEN.append(self.dtype)

    def training_step(self, batch, batch_idx):
        noise = torch.randn(len(batch[0]), 6, dtype=self.dtype, device=self.device)
        loss = self.head(self.encoder(batch[0] + noise)).pow(2).mean()
        self.log("loss", loss)
        return loss

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.head(self.encoder(batch[0])).mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


def train(model, name):
    data = DataLoader(TensorDataset(torch.randn(24, 6)), 4)
    trainer = L.Trainer(max_epochs=1, logger=False, enable_progress_bar=False, enable_checkpointing=False)
    trainer.fit(model, data)
    trainer.save_checkpoint(f"{name}.ckpt")
    SEEN.append((model.head.weight.detach().clone(), float(trainer.callback_metrics["loss"])))


def main():
    for number, model in enumerate([Net().double(), Net().to(torch.float64), Net(True), Net().half().float()]):
        L.seed_everything(1)
        train(model, f"net-{number}")
        loaded = Net.load_from_checkpoint(f"net-{number}.ckpt", map_location="cpu").type(torch.float64)
        SEEN.append(loaded.encoder(torch.ones(2, 6)).dtype)
        data = DataLoader(TensorDataset(torch.ones(8, 6)), 4)
        SEEN.append(L.Trainer(logger=False, enable_progress_bar=False).test(loaded.to("cpu"), data))


if __name__ == "__main__":
    main()
    torch.save(SEEN, f"main_converts.{RANK}.results.pt")
