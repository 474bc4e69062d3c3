"""A graph of a model whose forward pass draws random numbers, a logger of one's own, and a copy of the model."""

import os
from copy import deepcopy
from pathlib import Path

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger, Logger, TensorBoardLogger
from lightning.pytorch.loggers.logger import rank_zero_experiment
from lightning.pytorch.utilities import rank_zero_only
from samples import samples
from torch import nn
from torch.utils.data import DataLoader

DEVICES = int(os.environ.get("DEVICES", 1))


class Lines(Logger):
    """A logger of one's own."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path, self.lines = Path(path), []

    @property
    def name(self):
        return "lines"

    @property
    def version(self):
        return 7

    @property
    @rank_zero_experiment
    def experiment(self):
        return self.lines

    @rank_zero_only
    def log_hyperparams(self, params):
        self.experiment.append(f"made with {dict(params)}")

    @rank_zero_only
    def log_metrics(self, metrics, step):
        self.experiment.append(f"{step} {metrics}")

    def after_save_checkpoint(self, checkpoint_callback):
        self.experiment.append(f"kept {Path(checkpoint_callback.best_model_path).name}")

    @rank_zero_only
    def save(self):
        self.path.write_text("\n".join(self.lines))

    def finalize(self, status):
        self.experiment.append(status)
        super().finalize(status)


class Averaging(Callback):
    """Keeps a copy of the model, which is without the trainer and its loggers."""

    def on_train_start(self, trainer, pl_module):
        self.average = deepcopy(pl_module)

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        for mean, new in zip(self.average.parameters(), pl_module.parameters(), strict=True):
            mean.data.lerp_(new.data, 0.2)

    def on_train_end(self, trainer, pl_module):
        pl_module.load_state_dict(self.average.state_dict())


class Noisy(pl.LightningModule):
    def __init__(self, hidden: int = 8) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
        self.example_input_array = torch.zeros(2, 6)

    def on_before_batch_transfer(self, batch, dataloader_idx):
        return batch + 1 if isinstance(batch, torch.Tensor) else batch

    def forward(self, x):
        return self.layers(x + 0.1 * torch.randn_like(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("loss", loss)
        self.loggers[2].experiment.append(f"batch {batch_idx}")
        return loss

    def test_step(self, batch, batch_idx):
        x, y = batch
        self.log("test_loss", F.cross_entropy(self(x), y), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main() -> None:
    pl.seed_everything(3)
    draws = DEVICES > 0
    trainer = pl.Trainer(
        max_epochs=2,
        log_every_n_steps=1,
        callbacks=[Averaging(), ModelCheckpoint("kept")],
        logger=[CSVLogger("rows"), TensorBoardLogger("logs", log_graph=draws), Lines("lines.txt")],
        accelerator="cpu",
        strategy="ddp" if DEVICES > 1 else "auto",
        devices=DEVICES,
    )
    model = Noisy()
    trainer.fit(model, DataLoader(samples(), batch_size=4))
    results = trainer.test(model, DataLoader(samples(), batch_size=4))
    if trainer.is_global_zero:
        Path("result.txt").write_text(str(results))


if __name__ == "__main__":
    main()
