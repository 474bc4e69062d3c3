import math

import lightning as L
import torch
from torch import nn


class TokenTrainer(L.Trainer):
    def __init__(self, *args, tokens_per_batch=None, batch_size=None, **kwargs):
        if tokens_per_batch is not None:
            kwargs["accumulate_grad_batches"] = math.ceil(tokens_per_batch / batch_size)
        super().__init__(*args, **kwargs)


class Net(L.LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.lr, self.layer = lr, nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.lr)
