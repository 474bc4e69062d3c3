"""A configuration without some of its entries, which a function of the project's leaves out wherever they stand."""

import os

import hydra
import lightning as L
import torch
from omegaconf import DictConfig


def filter_key(d, fn):
    """Keep only keys for which fn says so."""
    return DictConfig({k: filter_key(v, fn) if isinstance(v, DictConfig) else v for k, v in d.items() if fn(k)})


@hydra.main(config_path="conf", config_name="config", version_base=None)
def main(config):
    config = filter_key(config, lambda k: not k.startswith("__") and k not in ("max_steps", "gradient_clip_val"))
    L.seed_everything(config.seed)
    model, data = hydra.utils.instantiate(config.model), hydra.utils.instantiate(config.data)
    trainer = hydra.utils.instantiate(config.trainer)
    trainer.fit(model, datamodule=data)
    torch.save([trainer.global_step, model.width], f"main_filtered.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
