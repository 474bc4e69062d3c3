"""Models, data and trainers come out of tables and tuples, and what a setting is stands above."""

import os

import lightning as L
import torch
from parts import build, loaders

RUNS = [("deep", {"depth": 3})]
SHARDS = True
PRECISION = "32-true"


def prepared(name, options):
    trainer = L.Trainer(
        max_epochs=2,
        precision=PRECISION,
        use_distributed_sampler=SHARDS,
        enable_progress_bar=False,
    )
    return build(name, **options), trainer


def run(model, trainer, data):
    trainer.fit(model, data["train"])
    return trainer.test(model, data["test"], verbose=False)


def main():
    L.seed_everything(5)
    (train,) = loaders(24)
    data = {"train": train, "test": loaders(8, 12)}
    found = [run(*prepared(name, options), data) for name, options in RUNS]
    torch.save(found, f"main_tables.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
