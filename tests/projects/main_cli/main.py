"""A LightningCLI with a way of its own to make the Trainer, whose folder and callbacks it knows, and more commands."""

import os
from typing import Any

import lightning as L
import torch
from lightning import Trainer
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.cli import LightningCLI
from torch.utils.data import DataLoader, TensorDataset


class Shrinks(Callback):
    """Changes the weights, so that the order of callbacks can be seen in them."""

    def __init__(self, factor: float = 0.5, term: float = 0.0):
        self.factor, self.term = factor, term
        self.epochs = 0

    def on_train_epoch_end(self, trainer, pl_module):
        self.epochs += 1
        with torch.no_grad():
            pl_module.layer.weight.mul_(self.factor).add_(self.term)


class Net(L.LightningModule):
    def __init__(self, width: int = 3, lr: float = 0.1):
        super().__init__()
        self.lr = lr
        self.layer = torch.nn.Linear(2, width)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


class Data(L.LightningDataModule):
    def __init__(self, size: int = 2):
        super().__init__()
        self.size = size

    def train_dataloader(self):
        points = torch.linspace(-1, 1, 32).view(16, 2)
        return DataLoader(TensorDataset(points), batch_size=self.size, shuffle=True)


class FolderCLI(LightningCLI):
    def add_arguments_to_parser(self, parser):
        class Tags:
            def __init__(self, exp: str): ...

        parser.add_class_arguments(Tags, nested_key="tags")
        parser.add_lightning_class_args(Shrinks, "shrinks")

    def instantiate_trainer(self, **kwargs: Any) -> Trainer:
        settings = self._get(self.config_init, "trainer", default={})
        root = settings.get("default_root_dir", None)
        if root is None:
            root = os.path.join(os.getcwd(), "workdirs")
        name = ""
        for key, value in self._get(self.config, "tags", default={}).items():
            name += f"{key}_{value}"
        root = os.path.join(root, name)
        goes_on = self._get(self.config_init, "ckpt_path", default=None)
        if os.path.exists(root) and "debug" not in root:
            if os.listdir(root) and self.subcommand != "predict" and not goes_on:
                print(f"{root} holds something")
        settings.default_root_dir = root
        if settings["callbacks"] is None:
            settings["callbacks"] = []
        settings["callbacks"].append(Shrinks(0.9, term=0.01))
        if settings.max_epochs == 2 and "gradient_clip_val" not in kwargs:
            kwargs["gradient_clip_val"] = 0.05
        trainer = super().instantiate_trainer(**kwargs)
        if trainer.is_global_zero:
            os.makedirs(root, exist_ok=True)
        return trainer


if __name__ == "__main__":
    asked_later = Shrinks(0.8, term=0.03)
    FolderCLI(
        Net,
        Data,
        trainer_defaults={"max_epochs": 2, "callbacks": [Shrinks(0.7, term=0.02), asked_later]},
        seed_everything_default=5,
        save_config_callback=None,
        args=["fit", "--tags.exp=first", "--data.size=4", "--shrinks.factor=0.8"],
    )
    assert asked_later.epochs == 2
