"""A main that trains by classes of its own which derive from Lightning's Trainer."""

import os

import lightning as L
import torch
import trainers
from torch.utils.data import DataLoader, TensorDataset
from trainers import Patient as Own


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.steepness = 1.0
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean() * self.steepness
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.05)


class Plain(L.Trainer):
    """Is one."""


def finish(trainer: L.Trainer, model, loader):
    trainer.validating_is_over = True
    return trainer.global_step, trainer.validating_is_over


def main():
    L.seed_everything(5)
    loader = DataLoader(TensorDataset(torch.rand(16, 3)), batch_size=4)
    model = Model()
    own = Own(enable_progress_bar=False, patience=2, scale=3)
    seen = [own.told("before", times=3), own.first]
    seen.append(own.fit(model, loader))
    seen += [own.told("after"), own.stopping.stopped_epoch, own.scale, own.test(model, loader)]
    second = trainers.Trainer(2, clip=0.1, enable_progress_bar=False)
    second.fit(model, loader)
    seen += [finish(second, model, loader)]
    third = Plain(max_epochs=1, logger=False, enable_progress_bar=False)
    third.fit(model, loader)
    torch.save(seen, f"main_own_trainer.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
