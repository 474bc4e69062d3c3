"""Tasks that decorators of another module wrap, each with parameters of its own."""

import os

import lightning as L
import torch
from tasks import named, task_wrapper
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

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

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
