"""Tasks, and methods of the model, that decorators of another module wrap, each with parameters of its own."""

import os

import lightning as L
import torch
from tasks import named, task_wrapper, with_model
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Data(L.LightningDataModule):
    def __init__(self, size=4):
        super().__init__()
        self.size = size

    def setup(self, stage=None):
        self.samples = TensorDataset(torch.arange(64.0).reshape(16, 4) / 64)

    def train_dataloader(self):
        return DataLoader(self.samples, batch_size=self.size)

    def test_dataloader(self):
        return DataLoader(self.samples, batch_size=self.size)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    @task_wrapper
    def setup(self, stage):
        self.prepare(2.0)
        self.look()

    @task_wrapper
    def prepare(self, scale):
        self.scale = scale

    @with_model
    def look(self):
        self.is_large = self.scale > 1

    @task_wrapper
    def note(self, loss):
        self.log("train_loss", loss)

    @with_model
    def note_more(self, loss, *, name):
        self.log(name, loss * self.is_large)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean() * self.scale
        self.note(loss)
        self.note_more(loss, name="large_loss")
        return loss

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.layer(batch[0]).abs().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@task_wrapper
def make_data(size):
    return Data(size)


@task_wrapper
def train(data_module, model, trainer):
    trainer.fit(model, datamodule=data_module)


@named("testing")
def test(trainer, model, data):
    return trainer.test(model, data)


def main():
    L.seed_everything(5)
    model, trainer = Net(), L.Trainer(max_epochs=2, enable_progress_bar=False)
    data = make_data(size=4)
    train(data, trainer=trainer, model=model)
    results = {"test": test(trainer, model, data), "state": model.state_dict()}
    torch.save(results, f"main_wrapped.{RANK}.results.pt")


if __name__ == "__main__":
    main()
