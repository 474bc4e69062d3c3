import lightning as L
import torch
from hydra_zen import builds, instantiate
from somewhere import make
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def main():
    trainer = make(L.Trainer, max_epochs=2)
    trainer.fit(Net(2))
    trainer = instantiate(builds(L.Trainer, max_epochs=2))
    trainer.fit(Net(2))


if __name__ == "__main__":
    main()
