"""A package whose `__init__` imports a folder of its own that has none, by which a configuration names a class."""

import os

import hydra
import lightning as L
import torch
from hydra.utils import instantiate
from kit import scale
from torch.utils.data import DataLoader, TensorDataset


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    L.seed_everything(2)
    rows = TensorDataset(torch.randn(16, 4), torch.randn(16, 1))
    trainer = L.Trainer(max_epochs=2, enable_progress_bar=False, enable_checkpointing=False, logger=False)
    trainer.fit(instantiate(cfg.model), DataLoader(rows, 4, shuffle=True))
    found = [scale.factor(), float(trainer.callback_metrics["loss"])]
    torch.save(found, f"main_bare_folder.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
