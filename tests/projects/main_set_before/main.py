"""Functions of the file's own that change what classes find, or draw, run between the definitions of those."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader

SETTINGS = {"lr": 0.1, "scale": 1.0}
torch.manual_seed(4)


def settle(**given):
    SETTINGS.update(given)
    return len(SETTINGS)


def points(count):
    return torch.randn(count, 3)


class Scale:
    factor = 1.0

    @classmethod
    def of(cls, factor):
        cls.factor = factor
        return cls()


settled = settle(lr=0.5)
spare = points(4)


class Net(L.LightningModule):
    lr = SETTINGS["lr"]

    def __init__(self, start=points(1)):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        with torch.no_grad():
            self.layer.weight.copy_(start)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.lr)


scale = Scale.of(0.25)


class Data(L.LightningDataModule):
    factor = Scale.factor
    drawn = points(12)

    def train_dataloader(self):
        return DataLoader(self.drawn * self.factor, batch_size=2)


settle(scale=2.0)


class Result:
    scale = SETTINGS["scale"]

    def __init__(self, weight):
        self.weight = weight.detach() * self.scale


if __name__ == "__main__":
    model = Net()
    trainer = L.Trainer(max_epochs=2, logger=False, enable_progress_bar=False, enable_checkpointing=False)
    trainer.fit(model, Data())
    result = Result(model.layer.weight)
    kept = [result.weight, Result.scale, Net.lr, Data.factor, settled, spare, scale.factor]
    torch.save(kept, f"main_set_before.{os.environ.get('RANK', '0')}.results.pt")
