"""Code that is never run: behind what leaves a block, under `if False`, and in branches that the run does not take."""

import argparse
import sys

import lightning as L
import torch
from lightning.pytorch.utilities import rank_zero_only
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model(L.LightningModule):
    def __init__(self, schedule):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.schedule = schedule

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        if False:
            loss = [loss, self.optimizers()]
        return loss
        return {"loss": loss, "hidden": self.trainer.fit_loop.epoch_progress}

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), 0.1, 0.9)
        if self.schedule == "plateau":
            raise NotImplementedError("not yet")
            schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        elif self.schedule == "watched":
            schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
            monitor = self.trainer.favorite_metric  # which no trainer has
            return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "monitor": monitor}}
        elif self.schedule == "none":
            sys.exit("no schedule")
            schedule = None
        else:
            schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
        return [optimizer], [schedule]

    def on_epoch_end(self):  # which Lightning 2 never calls
        self.layer.weight.data.zero_()

    def test_epoch_end(self, outputs):  # at which Lightning 2 stops, where something tests
        self.layer.weight.data.zero_()

    def get_progress_bar_dict(self):
        items = super().get_progress_bar_dict()
        items.pop("v_num", None)
        return items


class Told(L.Callback):
    @rank_zero_only
    def on_keyboard_interrupt(self, trainer, pl_module):  # which Lightning 2 never calls
        self.on_train_end(trainer, pl_module)
        trainer.favorite_metric.reset()

    def on_epoch_end(self, trainer, pl_module):
        pl_module.layer.bias.data.zero_()

    def on_train_end(self, trainer, pl_module):
        print(trainer.current_epoch, pl_module.layer.bias.item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedule", default="steps")
    args = parser.parse_args()
    L.seed_everything(3)
    x = torch.rand(24, 3)
    trainer = L.Trainer(max_epochs=3, callbacks=Told(), enable_progress_bar=False)
    trainer.fit(Model(args.schedule), DataLoader(TensorDataset(x), batch_size=4, shuffle=True))
