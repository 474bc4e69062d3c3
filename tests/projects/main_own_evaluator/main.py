"""A class of the project's that hands the callbacks which it is given to a Trainer that it makes."""

import os

import hydra
import lightning as L
import torch
from net import Net
from torch.utils.data import DataLoader, TensorDataset


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    L.seed_everything(cfg.seed)
    x = torch.randn(32, 4, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
    model = Net()
    hydra.utils.instantiate(cfg.trainer).fit(model, loader)
    callbacks = [hydra.utils.instantiate(each) for each in cfg.callbacks.values()]
    found = hydra.utils.instantiate(cfg.evaluator, callbacks=callbacks).run(model, loader)
    torch.save([found, callbacks[0].seen], f"main_own_evaluator.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
