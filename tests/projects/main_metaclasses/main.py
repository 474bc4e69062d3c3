"""Models whose classes have metaclasses: one saves hyperparameters, one notes classes in a table, one counts objects."""

import os

import layers  # noqa: F401 -- fills a table
import lightning as L
import torch
from nets import Steady
from sums import KINDS
from tables import TABLE


def make(label, *args, **kwargs):
    return TABLE[label](*args, **kwargs)


def main():
    L.seed_everything(5)
    told = {"labels": sorted(TABLE), "words": TABLE["small"].words}
    for model in (make("small", 4, rate=0.2), Steady(rate=0.1)):
        trainer = L.Trainer(max_epochs=2, enable_progress_bar=False, logger=False)
        trainer.fit(model, datamodule=KINDS[0](size=2))
        name = type(model).__name__
        trainer.save_checkpoint(f"{name}.ckpt")
        again = type(model).load_from_checkpoint(f"{name}.ckpt")
        told[name] = [dict(each) for each in (model.hparams, model.hparams_initial, again.hparams)]
    torch.save(told, f"main_metaclasses.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
