"""A parser of Lightning's that chooses among classes, and makes optimizers."""

import lightning as L
import torch
from lightning.pytorch.cli import LightningArgumentParser
from torch.utils.data import DataLoader


class Net(L.LightningModule):
    def __init__(self, width: int = 2):
        super().__init__()
        self.layer = torch.nn.Linear(width, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(torch.rand(8, 2), batch_size=2)


parser = LightningArgumentParser()
parser.add_lightning_class_args(Net, "model", subclass_mode=True)
parser.add_optimizer_args(torch.optim.SGD)
L.Trainer(max_epochs=1).fit(parser.instantiate_classes(parser.parse_args()).model)
