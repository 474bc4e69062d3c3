import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, by_hand: bool = False):
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(4, 1)
        self.automatic_optimization = not self.hparams.by_hand or not torch.cuda.is_available()

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)
