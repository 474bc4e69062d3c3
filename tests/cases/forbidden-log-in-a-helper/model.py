import functools
import inspect
import sys

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def counted(method):
    @functools.wraps(method)
    def inner(self, *args, **kwargs):
        self.log("calls", 1.0)
        return method(self, *args, **kwargs)

    return inner


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    @counted
    def setup(self, stage):
        self.rate = 0.1

    @counted
    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.log("outputs", outputs["loss"])

    def on_train_end(self):
        self.tell("done")

    def tell(self, name):
        self.log(name, 1.0)

    def on_fit_start(self):
        self.note("start")

    def on_fit_end(self):
        [self.note(name) for name in ("end", "of the fit")]

    def note(self, name):
        if inspect.stack()[1].function != "on_fit_start":
            self.log(name, 1.0)

    def on_validation_end(self):
        self.again("end")
        self.never("end")

    def on_test_end(self):
        self.never("end")

    def again(self, name):
        if sys._getframe(1).f_code.co_name in ("on_validation_end", "on_test_end"):
            self.log(name, 1.0)

    def never(self, name):
        caller = inspect.currentframe().f_back.f_code.co_name
        if caller in ("on_validation_end", "on_test_end"):
            print(name)
        elif caller == "validation_step":
            self.log(name, 1.0)

    def validation_step(self, batch, batch_idx):
        self.never("step")
