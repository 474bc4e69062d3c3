"""What is logged is asked for as loggers, the progress bar and callbacks are told it."""

import os
import warnings

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from lightning.pytorch.utilities.exceptions import MisconfigurationException
from lightning.pytorch.utilities.warnings import PossibleUserWarning
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric

RANK = os.environ.get("RANK", "0")

warnings.filterwarnings("ignore", category=PossibleUserWarning)


def told(trainer):
    kinds = trainer.logged_metrics, trainer.progress_bar_metrics, trainer.callback_metrics
    return [{name: float(value) for name, value in sorted(kind.items())} for kind in kinds]


class Notes(Callback):
    def __init__(self, seen):
        self.seen = seen

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        self.seen.append(("batch", batch_idx, told(trainer)))

    def on_validation_end(self, trainer, pl_module):
        if not trainer.sanity_checking:
            self.seen.append(("validated", told(trainer)))

    def on_train_epoch_end(self, trainer, pl_module):
        self.seen.append(("epoch", told(trainer)))

    def on_train_end(self, trainer, pl_module):
        self.seen.append(("end", told(trainer)))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.mean, self.val_mean = MeanMetric(), MeanMetric()

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("both", loss, on_step=True, on_epoch=True, prog_bar=True)
        self.log("step", loss * 2, prog_bar=True)
        self.log("hidden", loss * 3, logger=False, on_epoch=True)
        self.mean(loss)
        self.log("metric", self.mean, on_step=True, on_epoch=True)
        self.log("shown, then told", loss, prog_bar=True, logger=False)
        self.log("told, then hidden", loss)
        return loss

    def on_train_epoch_end(self):
        self.log("shown, then told", self.layer.weight.detach().mean())
        self.log("told, then hidden", self.layer.weight.detach().sum(), logger=False, prog_bar=True)

    def validation_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).mean()
        self.log("val", loss, prog_bar=True)
        self.log("quiet", loss, logger=False)
        self.val_mean(loss)
        self.log("val_metric", self.val_mean, on_step=True, on_epoch=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def loader(count):
    return DataLoader(TensorDataset(torch.arange(2.0 * count).view(count, 2) / count), batch_size=2)


def checked(epochs):
    if epochs < 1:
        raise MisconfigurationException("no epochs")
    return epochs


def main():
    L.seed_everything(1)
    seen = []
    try:
        checked(0)
    except Exception as error:
        seen.append(repr(error))
    trainer = L.Trainer(max_epochs=checked(2), enable_progress_bar=False, callbacks=[Notes(seen)])
    trainer.fit(Net(), loader(12), loader(8))
    torch.save([*seen, told(trainer)], f"main_metrics.{RANK}.results.pt")


if __name__ == "__main__":
    main()
