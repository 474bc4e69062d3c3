import torch
from torch import nn


class Net(nn.Module):
    def training_step(self, batch):
        return batch.mean()
