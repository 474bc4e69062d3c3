import argparse

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch: list[torch.Tensor], batch_idx: int) -> torch.Tensor:
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch: list[torch.Tensor], batch_idx: int) -> None:
        self.log("val_loss", self.layer(batch[0]).square().mean())

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", default=None)
    args = parser.parse_args()
    data = DataLoader(TensorDataset(torch.randn(64, 4)), batch_size=4)
    trainer = L.Trainer(
        max_epochs=-1,
        max_steps=100,
        val_check_interval=5,
        check_val_every_n_epoch=None,
        callbacks=[ModelCheckpoint(monitor="val_loss", save_last=True)],
    )
    trainer.fit(Net(), data, data, ckpt_path=args.resume)


if __name__ == "__main__":
    main()
