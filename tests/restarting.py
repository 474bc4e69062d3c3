"""Two folds, of which the second fails in its third epoch when it is told to; a ModelCheckpoint alone saves."""

import os

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Failing(Callback):
    """Fails at the start of an epoch."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch

    def on_train_epoch_start(self, trainer, pl_module):
        if trainer.current_epoch == self.epoch and "FAILS" in os.environ:
            raise RuntimeError("as it was told to")


class Net(pl.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.Linear(8, 1))

    def training_step(self, batch, batch_idx):
        loss = self.layers(batch[0]).square().mean()
        self.log("loss", loss, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.1)


def main() -> None:
    pl.seed_everything(int("3"))
    x = torch.randn(32, 6, generator=torch.Generator().manual_seed(3))
    weights = []
    for fold in range(2):
        saving = ModelCheckpoint(monitor="loss_epoch", save_top_k=1, save_last=fold == 0)
        callbacks = [saving, ModelCheckpoint("all", save_top_k=-1), Failing(2 if fold else -1)]
        trainer = pl.Trainer(max_epochs=4, logger=CSVLogger("logs"), callbacks=callbacks)
        model = Net()
        trainer.fit(model, DataLoader(TensorDataset(x[fold::2]), batch_size=4, shuffle=True))
        weights.append([trainer.current_epoch, trainer.global_step, model.state_dict()])
    if trainer.is_global_zero:
        torch.save(weights, os.environ["RESULT"])


if __name__ == "__main__":
    main()
