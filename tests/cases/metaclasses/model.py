"""What metaclasses may do with classes and their objects, and nobody would see in the script."""

import lightning as L
import torch
from elsewhere import Meta
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class OfALibrary(L.LightningModule, metaclass=Meta):
    pass


class LooksUp(type):
    def __getattr__(cls, name):
        return name.upper()

    def __len__(cls):
        return 1


class LookedUp(L.LightningModule, metaclass=LooksUp):
    pass


class Renames(type):
    def __new__(mcs, name, bases, namespace):
        return super().__new__(mcs, name.upper(), bases, namespace)


class Renamed(L.LightningModule, metaclass=Renames):
    pass


class Takes(type):
    def __new__(mcs, name, bases, namespace):
        namespace.pop("training_step", None)
        made = type.__new__(mcs, name, bases, namespace)
        return made


class Taken(L.LightningModule, metaclass=Takes):
    pass


class Wraps(type(L.LightningModule)):
    def __init__(cls, name, bases, namespace):
        super().__init__(name, bases, namespace)
        cls.tag = name
        cls.training_step = lambda self, batch, batch_idx: None
        for each in namespace:
            setattr(cls, each, print)
        if hasattr(cls, "old"):
            del cls.old
            delattr(cls, "older")


class Wrapped(L.LightningModule, metaclass=Wraps):
    pass


class Singleton(type):
    made = {}

    def __call__(cls, *args, **kwargs):
        if cls not in Singleton.made:
            Singleton.made[cls] = super().__call__(*args, **kwargs)
        return Singleton.made[cls]


class Single(L.LightningModule, metaclass=Singleton):
    pass


class Prepares(type):
    def __call__(cls, *args, **kwargs):
        net = super().__call__(*args, **kwargs)
        net.automatic_optimization = False
        if kwargs:
            net._set_hparams(kwargs)
        net.save_hyperparameters()
        net.tag = "prepared"
        return net


class Net(L.LightningModule, metaclass=Prepares):
    def __init__(self, rate=0.1):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    print(OfALibrary, LookedUp, Renamed, Taken, Wrapped, Single)
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(Net(rate=0.2), DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
