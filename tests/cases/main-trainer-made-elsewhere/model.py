import functools

import hydra
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def main(cfg):
    trainer = hydra.utils.instantiate(cfg.trainer)
    other = L.Trainer.from_argparse_args(cfg)
    trainer.fit(Net())
    model = hydra.utils.instantiate(cfg.model)
    L.Trainer(max_epochs=cfg.epochs).fit(model)
    other.fit(Net())
    make = functools.partial(L.Trainer, max_epochs=3)
    make(accelerator="cpu").fit(Net())


if __name__ == "__main__":
    main(hydra.compose("config"))
