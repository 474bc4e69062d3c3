"""Hooks that draw as they make loaders: when the one of validation is called, a run alone knows."""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class Watch(L.Callback):
    def on_sanity_check_start(self, trainer, pl_module):
        pl_module.note("trial", torch.rand(1))

    def on_sanity_check_end(self, trainer, pl_module):
        pl_module.note("tried", torch.rand(1))


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
        self.told = []

    def note(self, *what):
        stage = self.trainer.state.stage
        self.told += [*what, torch.is_grad_enabled(), self.trainer.sanity_checking, stage == "validate"]

    def loader(self, name):
        self.note(name)
        return DataLoader(TensorDataset(torch.rand(8, 3)), batch_size=2)

    def train_dataloader(self):
        return self.loader("train")

    def val_dataloader(self):
        return self.loader("val")

    def on_train_start(self):
        self.note("start", torch.rand(1))

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.layer(batch[0]) * torch.rand(1)).mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def run(steps=2, limit=1.0, every=1, anew=0):
    L.seed_everything(3)
    net = Net()
    trainer = L.Trainer(
        max_epochs=4,
        logger=False,
        callbacks=Watch(),
        enable_progress_bar=False,
        enable_checkpointing=False,
        num_sanity_val_steps=steps,
        limit_val_batches=limit,
        check_val_every_n_epoch=every,
        reload_dataloaders_every_n_epochs=anew,
    )
    trainer.fit(net)
    return [net.told, *(each.clone() for each in net.state_dict().values())]


if __name__ == "__main__":
    results = [run(), run(steps=0), run(steps=-1), run(limit=0), run(steps=0, limit=0), run(every=2)]
    results += [run(steps=0, every=3), run(every=2, anew=1), run(steps=0, anew=2), run(steps=0, every=2, anew=3)]
    torch.save(results, f"main_when_loaded.{os.environ.get('RANK', '0')}.results.pt")
