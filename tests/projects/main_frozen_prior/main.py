from __future__ import annotations

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Base(L.LightningModule):
    """Its hook asks for what each of its classes has for itself; no one trains a prior that is a part."""

    def training_step(self, batch, batch_idx):
        return self.shared_step("train", batch)

    def written(self, losses: Dict[str, torch.Tensor]) -> None:  # noqa: F821 - which nothing evaluates
        self.seen += losses["train"].detach()

    def configure_optimizers(self):
        return torch.optim.SGD([each for each in self.parameters() if each.requires_grad], lr=0.1)


class Prior(Base):
    def __init__(self):
        super().__init__()
        self.decoder = nn.Linear(4, 1)

    def shared_step(self, split, batch):
        loss = self.decoder(batch[0]).pow(2).mean()
        self.log(f"loss_{split}", loss)
        return loss


class Predictor(Base):
    def __init__(self):
        super().__init__()
        self.prior = Prior().requires_grad_(False)
        self.layer = nn.Linear(4, 4)
        self.register_buffer("seen", torch.zeros(()))

    def shared_step(self, split, batch):
        loss = self.prior.decoder(self.layer(batch[0])).pow(2).mean()
        self.log(f"loss_{split}", loss)
        self.written({split: loss})
        return loss


def main():
    L.seed_everything(8)
    trainer = L.Trainer(max_epochs=2)
    trainer.fit(Predictor(), DataLoader(TensorDataset(torch.randn(16, 4)), batch_size=4))


if __name__ == "__main__":
    main()
