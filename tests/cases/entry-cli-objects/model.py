from dataclasses import dataclass

import lightning as L
import torch
from lightning.pytorch.cli import LightningCLI
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Rates:
    lr: float = 0.1
    weight_decay: float = 0.0


class Net(L.LightningModule):
    def __init__(self, rates: Rates, width: int = 4) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.rates = rates
        self.layer = nn.Linear(self.hparams.width, 1)

    def training_step(self, batch: list[torch.Tensor], batch_idx: int) -> torch.Tensor:
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), self.rates.lr, weight_decay=self.hparams["rates"]["weight_decay"])


class Data(L.LightningDataModule):
    def train_dataloader(self) -> DataLoader:
        return DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)


if __name__ == "__main__":
    LightningCLI(Net, Data)
