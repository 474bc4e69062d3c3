"""An experiment is an object: its Trainer is made when it is first asked for, its model by a table of makers."""

import os
from functools import cached_property
from typing import ClassVar

import lightning.pytorch as pl
import torch
from parts import Data, Deep, Wide

MAKERS = {"wide": lambda: Wide(4), "deep": lambda: Deep(4)}


class Experiment:
    names: ClassVar[list[str]] = []

    def __init__(self, epochs: int, seed: int = 0, **trainer_options):
        self.epochs, self.seed = epochs, seed
        self.clip = trainer_options.pop("clip", None)
        self.results: dict[str, float] = {}
        type(self).names.append(type(self).__name__)

    @cached_property
    def data(self) -> Data:
        return Data(batch_size=5)

    @cached_property
    def trainer(self) -> pl.Trainer:
        return pl.Trainer(
            max_epochs=self.epochs,
            gradient_clip_val=self.clip,
            logger=False,
            enable_progress_bar=False,
        )

    def __enter__(self):
        pl.seed_everything(self.seed)
        self.model = Deep(4)
        return self

    def __exit__(self, *problem):
        self.results["epochs"] = self.trainer.current_epoch

    def run(self) -> None:
        self.trainer.fit(self.model, datamodule=self.data)
        (self.results["test"],) = self.trainer.test(self.model, datamodule=self.data, verbose=False)


with Experiment(2, seed=5, clip=1.0) as experiment:
    experiment.run()
torch.save(experiment.results, f"main_experiment.{os.environ.get('RANK', '0')}.results.pt")
