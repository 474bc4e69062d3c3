import lightning as L
import torch
from jsonargparse import CLI
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width: int = 4):
        super().__init__()
        self.layer = nn.Linear(width, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def train(trainer: L.Trainer, model: Net):
    trainer.fit(model, DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))


if __name__ == "__main__":
    CLI(train)
