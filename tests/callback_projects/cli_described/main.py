"""LightningCLI hands the model what describes its optimizer, and changes settings before objects are made."""

import lightning.pytorch as pl
import torch
import torch.nn.functional as F
from lightning.pytorch.cli import LightningArgumentParser, LightningCLI, instantiate_class
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(pl.LightningModule):
    def __init__(self, optimizer_init: dict, scheduler_init: dict, other_init: dict, hidden: int = 4) -> None:
        super().__init__()
        self.optimizer_init, self.scheduler_init, self.other_init = optimizer_init, scheduler_init, other_init
        self.layers = nn.Sequential(nn.Linear(6, hidden), nn.ReLU(), nn.Linear(hidden, 3))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self.layers(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False, sync_dist=True)
        return loss

    def configure_optimizers(self):
        optimizer = instantiate_class(self.parameters(), self.optimizer_init)
        if self.current_epoch > 0:
            optimizer = instantiate_class((self.parameters(),), self.other_init)
        return [optimizer], [instantiate_class(optimizer, self.scheduler_init)]


class Samples(pl.LightningDataModule):
    def __init__(self, batch_size: int = 2) -> None:
        super().__init__()
        self.batch_size = batch_size

    def train_dataloader(self):
        generator = torch.Generator().manual_seed(3)
        x = torch.randn(24, 6, generator=generator)
        dataset = TensorDataset(x, torch.randint(3, (24,), generator=generator))
        return DataLoader(dataset, batch_size=self.batch_size, shuffle=True)


class ClassifierCLI(LightningCLI):
    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        parser.add_optimizer_args(torch.optim.Adam, nested_key="optimizer", link_to="model.optimizer_init")
        parser.add_lr_scheduler_args(nested_key="lr_scheduler", link_to="model.scheduler_init")

    def before_instantiate_classes(self) -> None:
        given = self.config[self.subcommand]
        given.data.batch_size = given.data.batch_size // 2
        given["model"]["hidden"] += given.data.batch_size
        given.trainer.max_epochs = 3


if __name__ == "__main__":
    defaults = {
        "max_epochs": 2,
        "enable_checkpointing": False,
        "accelerator": "gpu" if torch.cuda.is_available() else "cpu",
        "logger": {"class_path": "CSVLogger", "init_args": {"save_dir": "logs"}},
        "callbacks": [pl.callbacks.LearningRateMonitor("epoch")],
    }
    ClassifierCLI(
        Classifier, Samples, save_config_callback=None, seed_everything_default=3, trainer_defaults=defaults
    )
