from argparse import ArgumentParser

import lightning.pytorch as pl
import torch
from torch import nn


class Forecaster(pl.LightningModule):
    def __init__(self, hidden_dim=4, learning_rate=1e-2, window=6, **kwargs):
        super().__init__()
        self.save_hyperparameters()
        self.rnn = nn.GRU(1, self.hparams.hidden_dim, batch_first=True)
        self.out = nn.Linear(self.hparams.hidden_dim, 1)

    @staticmethod
    def add_model_specific_args(parent_parser):
        parser = ArgumentParser(parents=[parent_parser], add_help=False)
        parser.add_argument("--hidden_dim", type=int, default=5)
        parser.add_argument("--learning_rate", type=float, default=0.03)
        return parser

    def training_step(self, batch, batch_idx):
        past, following = batch
        loss = (self.out(self.rnn(past)[0][:, -1]) - following).square().mean()
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.learning_rate)
