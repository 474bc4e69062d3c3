import sys
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.layer = nn.Linear(4, hidden)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss = self.layer(x).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class MyTrainer(L.Trainer):
    def save_checkpoint(self, filepath, weights_only=False):
        super().save_checkpoint(filepath, True)


class Filled(L.Trainer):
    """Only says how it is made."""

    def __init__(self, **kwargs):
        super().__init__(max_epochs=3, **kwargs)

    def fit(self, model, loader):
        super().fit(model, loader)

    def unused(self):
        return self.current_epoch


if __name__ == "__main__":
    filled = Filled(logger=False)
    filled.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
    trainer = MyTrainer()
    trainer.fit(Net(), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
