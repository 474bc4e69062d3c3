from lightning.pytorch.cli import ArgsType, LightningCLI, OptimizerCallable
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, optimizer: OptimizerCallable = torch.optim.SGD):
        super().__init__()
        self.optimizer = optimizer
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return self.optimizer(self.parameters())

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def main(args: ArgsType = None):
    LightningCLI(Net, seed_everything_default=7, args=args)


if __name__ == "__main__":
    main()
