"""A class in a variable, and then an object of it, be it loaded or made anew; of several, one cannot be trained."""

import sys

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader


class Base(L.LightningModule):
    def __init__(self, width=4):
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(4, width)

    def forward(self, x):
        return torch.add(self.layer(x), 1.0)

    def training_step(self, batch, batch_idx):
        loss = self(batch).square().mean()
        self.log("loss", loss)
        return loss

    def train_dataloader(self):
        return DataLoader(torch.linspace(0, 1, 32).reshape(8, 4), batch_size=2)


class Frozen(Base):
    """It is but looked at."""


class Small(Base):
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


MODELS = {"frozen": Frozen, "small": Small}


def main(path, name="small"):
    L.seed_everything(3)
    model = MODELS[name]
    if path:
        try:
            model = model.load_from_checkpoint(path, width=3)
        except FileNotFoundError:
            model = model(width=3)
    else:
        model = model()
    trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_progress_bar=False)
    trainer.fit(model)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "nowhere.ckpt")
