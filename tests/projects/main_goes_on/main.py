"""Runs go on from checkpoints that code saves: before, at the end of and after the epochs."""

import os
from pathlib import Path

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

FOLDER = Path("main_goes_on.saved")
RANK = os.environ.get("RANK", "0")


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 3)
        self.epochs = []

    def on_train_epoch_start(self):
        self.epochs.append((self.current_epoch, self.optimizers(use_pl_optimizer=False).param_groups[0]["lr"]))

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.layer(batch[0]), batch[1])
        self.log_dict(dictionary={"loss": loss})
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.5, momentum=0.9)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)]

    def train_dataloader(self):
        x = torch.randn(24, 6, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=4)


class Saves(Callback):
    def __init__(self, forgets):
        self.forgets, self.epochs, self.loaded = forgets, 0, []

    def state_dict(self):
        return {"epochs": self.epochs}

    def load_state_dict(self, state):
        self.epochs = state["epochs"]

    def on_save_checkpoint(self, trainer, pl_module, checkpoint):
        if self.forgets:
            del checkpoint["callbacks"]

    def on_load_checkpoint(self, trainer, pl_module, checkpoint):
        self.loaded.append(len(checkpoint["callbacks"]))

    def on_train_start(self, trainer, pl_module):
        trainer.save_checkpoint(FOLDER / f"before-{trainer.current_epoch}.ckpt")

    def on_train_epoch_start(self, trainer, pl_module):
        trainer.save_checkpoint(FOLDER / f"begun-{trainer.current_epoch}.ckpt")

    def on_train_epoch_end(self, trainer, pl_module):
        self.epochs += 1
        trainer.save_checkpoint(FOLDER / f"ended-{trainer.current_epoch}.ckpt")

    def on_train_end(self, trainer, pl_module):
        trainer.save_checkpoint(FOLDER / f"trained-{trainer.current_epoch}.ckpt")


def run(epochs, name=None, forgets=False):
    saves = Saves(forgets)
    trainer = L.Trainer(
        max_epochs=epochs, enable_progress_bar=False, enable_checkpointing=False, logger=False, callbacks=[saves]
    )
    model = Net()
    given = {}
    if name:
        given["ckpt_path"] = FOLDER / name
    trainer.fit(model, **given)
    trainer.save_checkpoint(FOLDER / f"after-{epochs}.ckpt")
    return [model.epochs, trainer.current_epoch, trainer.global_step, model.layer.bias.tolist(), saves.epochs, saves.loaded]


def main():
    L.seed_everything(5)
    results = [run(1), run(3, "after-1.ckpt"), run(4, "ended-1.ckpt"), run(5, "trained-4.ckpt")]
    results += [run(2, "before-0.ckpt"), run(2, "begun-0.ckpt")]
    results += [run(4, "after-3.ckpt", forgets=True), run(5, "after-4.ckpt")]  # of which the last has none
    torch.save(results, f"main_goes_on.{RANK}.results.pt")


if __name__ == "__main__":
    main()
