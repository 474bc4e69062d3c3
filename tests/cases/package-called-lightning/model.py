import lightning
import pytorch_lightning as pl
import torch
from lightning import seed_everything
from lightning.tools import Trainer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(pl.LightningModule):
    def __init__(self, scale):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.scale = scale

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x * self.scale).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


def main():
    seed_everything(3)
    pl.seed_everything(4)
    scale = Trainer("scale").fit([1.0, 3.0])
    other = lightning.Trainer("other")
    trainer = pl.Trainer(max_epochs=2)
    trainer.fit(Net(scale * other.fit([2.0])))


if __name__ == "__main__":
    main()
