import lightning as L
import torch
from settings import Penalty
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class FoldModel(L.LightningModule):
    def __init__(self, width: int, penalty: Penalty, activation: nn.Module, optimizer, fold: int):
        super().__init__()
        self.save_hyperparameters(ignore=["optimizer", "activation", "penalty"])
        self.penalty = penalty
        self.optimizer = optimizer
        self.layers = nn.Sequential(nn.Linear(3, width), activation, nn.Linear(width, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = (self.layers(x) - y).square().mean()
        if self.penalty is Penalty.DECAY:
            loss = loss + 0.01 * sum(each.square().sum() for each in self.parameters())
        self.log(f"loss_{self.hparams.fold}", loss, on_step=False, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return self.optimizer(self.parameters())


class Folds(L.LightningDataModule):
    def __init__(self, batch_size: int, fold: int):
        super().__init__()
        self.batch_size, self.fold = batch_size, fold

    def train_dataloader(self):
        x = torch.linspace(-1, 1, 96).view(32, 3)[self.fold :: 2]
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), self.batch_size, shuffle=True)
