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


class Ones(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class Others(Ones):
    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch


def main():
    model = Net()
    L.Trainer(max_epochs=2).fit(model, datamodule=Ones())
    L.Trainer(max_epochs=2).fit(model, datamodule=Others())


if __name__ == "__main__":
    main()
