"""What the command line takes, beside what LightningCLI takes anyway."""

import datetime
import os

import torch
from digits.data import Samples
from digits.model import Classifier
from digits.watching import NoteRates
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor
from lightning.pytorch.cli import LightningArgumentParser, LightningCLI

RUN = os.path.join("runs", datetime.date(2024, 5, 17).strftime("%Y%m%d"))


def wider(width: int, count: int) -> int:
    return width + count


class BaseCLI(LightningCLI):
    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        parser.add_lightning_class_args(EarlyStopping, "early_stopping")
        parser.set_defaults({"early_stopping.monitor": "train_loss", "early_stopping.patience": 8})


class ClassifierCLI(BaseCLI):
    """Trains a classifier."""

    def __init__(self) -> None:
        super().__init__(
            Classifier,
            Samples,
            save_config_callback=None,
            seed_everything_default=11,
            subclass_mode_model=True,
            trainer_defaults={
                "max_epochs": 6,
                "default_root_dir": RUN,
                "logger": {"class_path": "CSVLogger", "init_args": {"save_dir": RUN}},
                "callbacks": [NoteRates(), LearningRateMonitor("epoch")],
            },
        )

    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        """What is linked, and what the file need not say."""
        super().add_arguments_to_parser(parser)
        parser.add_optimizer_args(torch.optim.Adam)
        parser.add_lr_scheduler_args(torch.optim.lr_scheduler.ExponentialLR)
        parser.add_argument("--note", type=str, default="none")
        parser.set_defaults({"optimizer.lr": 0.05, "data.batch_size": 8, "lr_scheduler.gamma": 0.5})
        parser.set_defaults({"model": {"class_path": "digits.model.Classifier", "init_args": {"hidden": 6}}})
        self.add_links(parser)

    def add_links(self, parser: LightningArgumentParser) -> None:
        for name in ("features", "classes"):
            parser.link_arguments(f"data.{name}", f"model.init_args.{name}", apply_on="instantiate")
        parser.link_arguments("data.batch_size", "model.init_args.batch_size")
        parser.link_arguments("model.init_args.slope", "model.init_args.block.init_args.slope")
        parser.link_arguments(
            ("data.batch_size", "data.count"),
            "model.init_args.scale",
            compute_fn=lambda size, count: size / count,
        )
        parser.link_arguments(("data.width", "data.count"), "model.init_args.widest", compute_fn=wider)
        parser.link_arguments("data.names", "model.init_args.named", len, apply_on="instantiate")
        parser.link_arguments("note", "model.init_args.note")
