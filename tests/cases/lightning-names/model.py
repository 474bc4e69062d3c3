import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from lightning.pytorch.utilities import rank_zero_deprecation, rank_zero_only
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Tells(Callback):
    def on_train_end(self, trainer, module):
        print("done")


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

    @rank_zero_only
    def on_train_end(self):
        print(Tells(), ModelCheckpoint, rank_zero_deprecation, getattr(rank_zero_only, "rank", 0))
        L.seed_everything(1)

    def on_train_start(self) -> L.Trainer:
        return isinstance(self, L.LightningModule)


L.seed_everything(int("1"))
