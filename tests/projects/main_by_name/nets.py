import lightning as L
import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR, StepLR  # noqa: F401


class Net(L.LightningModule):
    def __init__(self, width=4, schedule="none"):
        super().__init__()
        self.schedule = schedule
        self.layer = nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        schedule = globals().get(self.schedule, None)
        if schedule is None:
            return optimizer
        return [optimizer], [schedule(optimizer, gamma=0.5, **STEPS.get(self.schedule, {}))]


class WideNet(Net):
    def __init__(self):
        super().__init__(16, "StepLR")


def narrow():
    return Net(2, "ExponentialLR")


def unscheduled():
    return Net(3)


STEPS = {"StepLR": {"step_size": 1}}


def make(name, **arguments):
    if f"{name}Net" in globals():
        return globals()[f"{name}Net"](**arguments)
    return globals()[name](**arguments)
