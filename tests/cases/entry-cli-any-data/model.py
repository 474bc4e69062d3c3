from lightning.pytorch.cli import LightningCLI
import lightning as L, torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width: int = 4):
        super().__init__()
        self.layer = nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Data(L.LightningDataModule):
    def __init__(self, size: int = 8):
        super().__init__()
        self.size = size

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(self.size, 4)), batch_size=2)


def main():
    LightningCLI(Net, L.LightningDataModule, subclass_mode_data=True)


if __name__ == "__main__":
    main()
