"""A Trainer that a parser makes."""

import lightning as L
import torch
from jsonargparse import ArgumentParser
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


parser = ArgumentParser()
parser.add_class_arguments(L.Trainer, "trainer")
parser.add_class_arguments(Net, "model")
made = parser.instantiate_classes(parser.parse_args())
made.trainer.fit(made.model)
