"""Configurations that are merged with arguments, which they refer to, and that are made in two steps."""

import hydra
import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


@hydra.main(config_path="conf", config_name="train", version_base=None)
def main(config):
    L.seed_everything(1)
    steps = hydra.utils.instantiate(config["steps"], _recursive_=False)(scale=config.model.net.scale)
    model = hydra.utils.instantiate(config.model, rate=0.3, net={"width": 6}, shift=torch.ones(4))
    model.steps = steps.make()
    trainer = hydra.utils.instantiate(config.trainer)
    trainer.fit(model, DataLoader(TensorDataset(torch.randn(16, 4)), batch_size=4))


if __name__ == "__main__":
    main()
