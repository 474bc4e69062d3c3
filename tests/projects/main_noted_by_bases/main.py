"""Models and losses that are found by what their base notes of classes that derive from it, and by asking it."""

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset
from zoo import MODELS, Model
from zoo.losses import Loss, loss_named


def loader():
    generator = torch.Generator().manual_seed(3)
    return DataLoader(TensorDataset(torch.randn(24, 4, generator=generator)), batch_size=4)


if __name__ == "__main__":
    L.seed_everything(7)
    names = sorted(each.__name__ for each in Loss.__subclasses__())
    model = MODELS["Deep"](loss_named(names[0])) if "Deep" in MODELS else Model(Loss())
    L.Trainer(max_epochs=2).fit(model, loader())
