"""Classes and functions that nothing names, and that modules which stay, a library or a class have been told of."""

import lightning as L
import torch
from tables import Asked, Told, layer, register, timed
from torch import distributions
from torch.utils.data import DataLoader, IterDataPipe, TensorDataset, functional_datapipe
from torch.utils.data.datapipes.iter import IterableWrapper


@register("wide")
class Wide(torch.nn.Linear):
    def __init__(self):
        super().__init__(4, 8)


class Shift(Told):
    by = 0.25


class Double(Asked):
    scale = 2.0


class Narrow(distributions.Normal):
    pass


@distributions.register_kl(Narrow, Narrow)
def _distance(p, q):
    return (p.loc - q.loc).abs() * 3


@functional_datapipe("tripled")
class Tripled(IterDataPipe):
    def __init__(self, source):
        self.source = source

    def __iter__(self):
        return (each * 3 for each in self.source)


class enters:
    known = {}

    def __init__(self, name):
        self.name = name

    def __call__(self, found):
        self.known[self.name] = found
        return found


@enters("head")
class Head(torch.nn.Linear):
    def __init__(self):
        super().__init__(8, 1)


def keep(found):
    keep.known.append(found)
    return found


keep.known = []


@keep
def halved(value):
    return value / 2


@timed
def unasked(trainer):
    return trainer.nothing_that_there_is


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        (self.factor,) = IterableWrapper([0.5]).tripled()
        self.layers = torch.nn.Sequential(layer("wide"), enters.known["head"]())

    def training_step(self, batch, batch_idx):
        found = self.layers(batch[0]) * Asked.all()[0] * self.factor + Told.parts[0].by
        apart = distributions.kl_divergence(Narrow(found, 1.0), Narrow(torch.zeros_like(found), 1.0))
        return keep.known[0](apart.mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    L.seed_everything(7)
    data = DataLoader(TensorDataset(torch.randn(24, 4)), batch_size=4)
    L.Trainer(max_epochs=2).fit(Net(), data)


if __name__ == "__main__":
    main()
