"""Hooks that no class has as methods: whatever sets them, the script would not call them."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Base(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.forward = self.layer.forward
        self.on_fit_start = lambda: print("in a constructor")
        for name in ("on_train_start", "optimizer_step"):
            setattr(self, name, lambda: print("by a name"))

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Noisy:
    def __init_subclass__(cls):
        cls.on_train_epoch_start = lambda self: print("by a base")


def noisy(cls):
    cls.on_train_epoch_end = lambda self: print("by a decorator")
    return cls


def wrapped(cls):
    class Wrapped(cls):
        def on_train_end(self):
            print("by another class")

    return Wrapped


def same(cls):
    return cls


@same
@noisy
class Net(Noisy, Base):
    pass


@wrapped
class Other(Base):
    pass


class Meta(type(L.LightningModule)):
    pass


class WithMeta(Base, metaclass=Meta):
    pass


class Head:
    """What is no model may have attributes of any name."""

    def __init__(self):
        self.on_train_end = None


class Data(L.LightningDataModule):
    """Which loaders it has is not known of all classes."""

    def __init__(self, train=None, val=None):
        super().__init__()
        if train is not None:
            self.train_dataloader = self._loader
        if val is not None:
            self.val_dataloader = self._loader
            self.test_dataloader = self._loader
        else:
            self.test_dataloader = self._other
        self.setup = lambda stage: print("in a constructor")

    def _loader(self):
        return DataLoader(torch.ones(8, 4))

    def _other(self):
        return DataLoader(torch.zeros(8, 4))


class Overridden(Data):
    def val_dataloader(self):
        return DataLoader(torch.zeros(8, 4))


Net.validation_step = lambda self, batch, batch_idx: print("by a class")

if __name__ == "__main__":
    watch = L.Callback()
    watch.on_train_batch_end = lambda *args: print("by an object")
    net = Net()
    net.head = Head()
    net.on_fit_start = None
    print(Other(), WithMeta(), Data(), Overridden())
    vars(net)["on_fit_end"] = lambda: print("by its dict")
    trainer = L.Trainer(max_epochs=1, callbacks=[watch])
    trainer.fit(net, DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2))
