import signal

import lightning as L
import numpy as np
import torch


def prepared(seed):
    torch.manual_seed(seed)
    return seed


_ = np.random.seed(5)
BEFORE = torch.set_default_dtype(torch.float64)
FIRST = prepared(11)
BEFORE_THAT = signal.signal(signal.SIGUSR2, signal.SIG_IGN)
NOISE = [torch.rand(2) for _ in range(2)]


class Scales:
    table = torch.nn.Embedding(4, 2)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
        self.register_buffer("drawn", torch.tensor(np.random.rand()))
        ignored = signal.getsignal(signal.SIGUSR2) is signal.SIG_IGN
        self.register_buffer("ignored", torch.tensor(float(ignored)))

    def training_step(self, batch, batch_idx):
        return (self.layer(batch[0]) + self.drawn).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
