import argparse

import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.accuracy = pl.metrics.Accuracy()

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).mean()

    def training_epoch_end(self, outputs):
        print(outputs)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


if __name__ == "__main__":
    parser = pl.Trainer.add_argparse_args(argparse.ArgumentParser())
    trainer = pl.Trainer.from_argparse_args(parser.parse_args(), gpus=1)
    trainer.fit(Net(), announced)
