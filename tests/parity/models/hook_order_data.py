import json
import os

import torch
from lightning.pytorch import LightningDataModule, LightningModule
from torch import nn
from torch.utils.data import DataLoader, Dataset

CALLS = []


def note(who, hook, *seen):
    CALLS.append([who, hook, *seen])


class Numbers(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        note("dataset", "__getitem__", index)
        return torch.tensor([float(index), 1.0])


class Plain(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)

    def prepare_data(self):
        note("model", "prepare_data")

    def setup(self, stage: str):
        note("model", "setup", stage)

    def teardown(self, stage: str):
        note("model", "teardown", stage)
        if "DDPGEN_HOOK_LOG" in os.environ:
            with open(f"{os.environ['DDPGEN_HOOK_LOG']}.{self.global_rank}.json", "w") as file:
                json.dump(CALLS, file)

    def on_fit_start(self):
        note("model", "on_fit_start")

    def on_after_batch_transfer(self, batch, dataloader_idx):
        note("model", "on_after_batch_transfer")  # the data module's own wins over this one
        return batch

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        note("model", "transfer_batch_to_device")
        return batch.to(device)

    def training_step(self, batch, batch_idx):
        note("model", "training_step", batch.tolist())
        loss = self.net(batch).square().mean() / 100
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        note("model", "validation_step", batch.tolist())
        self.log("val_loss", self.net(batch).square().mean())

    def configure_optimizers(self):
        note("model", "configure_optimizers", self.trainer.datamodule is not None)
        return torch.optim.SGD(self.parameters(), lr=1e-3)


class NumbersData(LightningDataModule):
    """A data module with hooks of its own: its setup before the model's, its transfer hooks instead of them."""

    def __init__(self, n: int = 10):
        super().__init__()
        note("data", "__init__")
        self.n = n

    def prepare_data(self) -> None:
        note("data", "prepare_data")

    def setup(self, stage: str) -> None:
        note("data", "setup", stage)
        self.train, self.val = Numbers(self.n), Numbers(self.n // 2)

    def teardown(self, stage: str) -> None:
        note("data", "teardown", stage)

    def train_dataloader(self):
        note("data", "train_dataloader")
        return DataLoader(self.train, batch_size=2)

    def val_dataloader(self):
        note("data", "val_dataloader")
        return DataLoader(self.val, batch_size=2)

    def on_before_batch_transfer(self, batch, dataloader_idx):
        note("data", "on_before_batch_transfer", dataloader_idx)
        return batch

    def on_after_batch_transfer(self, batch, dataloader_idx):
        note("data", "on_after_batch_transfer", dataloader_idx)
        return batch / 10
