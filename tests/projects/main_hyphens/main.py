"""Classes of modules whose files have a hyphen in their names, so that a configuration alone can name them."""

import hydra
import lightning as L
import torch
from torch.utils.data import DataLoader


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    L.seed_everything(1)
    model = hydra.utils.instantiate(cfg.model)
    trainer = hydra.utils.instantiate(cfg.trainer)
    trainer.fit(model, DataLoader(torch.arange(24.0).reshape(8, 3) / 24, batch_size=2))


if __name__ == "__main__":
    main()
