"""Models that one main trains one after the other, whose steps take other arguments."""

import inspect
import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Base(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def loss(self, batch):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


class Numbered(Base):
    def training_step(self, batch, batch_idx):
        return self.loss(batch) * (batch_idx + 1)

    def validation_step(self, batch, batch_idx):
        self.log("val", self.loss(batch) + batch_idx, sync_dist=True)


class Plain(Base):
    def training_step(self, batch):
        return self.loss(batch)

    def validation_step(self, batch):
        self.log("val", self.loss(batch), sync_dist=True)


class Open(Base):
    def training_step(self, *given):
        return self.loss(given[0]) * len(given)

    def validation_step(self, batch, number=7):
        self.log("val", self.loss(batch) + number, sync_dist=True)


def loader(seed):
    x = torch.rand(12, 3, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=3)


if __name__ == "__main__":
    L.seed_everything(3)
    results = []
    for kind in (Numbered, Open, Plain):
        model = kind()
        trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False)
        options = {}
        if "weights_only" in inspect.signature(trainer.fit).parameters:
            options["weights_only"] = False
        trainer.fit(model, loader(1), loader(2), **options)
        is_old = "datamodule" not in inspect.signature(trainer.validate).parameters.keys()
        if "quiet" in inspect.signature(trainer.validate).parameters or is_old:
            raise SystemExit("another Lightning")
        results.append([is_old, trainer.validate(model, loader(3)), {name: each.clone() for name, each in model.state_dict().items()}])
    torch.save(results, f"main_signatures.{os.environ.get('RANK', '0')}.results.pt")
