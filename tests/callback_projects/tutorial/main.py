"""Settings of loggers that are made already, as tutorials have them, and a model of which they are told nothing."""

import os

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))


class Classifier(pl.LightningModule):
    def __init__(self, hidden: int = 8) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))
        self.example_input_array = torch.zeros(1, 6)

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def test_step(self, batch, batch_idx):
        self.log("test_loss", F.cross_entropy(self(batch[0]), batch[1]), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Quiet(Classifier):
    """Loggers are told nothing of how it was made, as the last to save it says."""

    def __init__(self, hidden: int = 6) -> None:
        super().__init__(hidden)
        self.save_hyperparameters(logger=False)


def loader() -> DataLoader:
    x = torch.randn(24, 6, generator=torch.Generator().manual_seed(5))
    return DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=4)


def trainer_of(**options) -> pl.Trainer:
    return pl.Trainer(
        max_epochs=2,
        log_every_n_steps=2,
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
        **options,
    )


def main() -> None:
    pl.seed_everything(3)
    trainer = trainer_of(default_root_dir="saved", callbacks=[ModelCheckpoint(save_weights_only=True)])
    trainer.logger._log_graph = True
    trainer.logger._default_hp_metric = None
    trainer.fit(Classifier(), loader())

    for model in (Classifier(4), Quiet()):
        logger = CSVLogger("rows", type(model).__name__, prefix="train")
        trainer = trainer_of(logger=logger, enable_checkpointing=False)
        trainer.fit(model, loader())
        logger._prefix = ""
        trainer.test(model, loader())


if __name__ == "__main__":
    main()
