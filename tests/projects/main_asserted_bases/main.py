"""A registry's decorators assert of classes from which of Lightning's they are derived."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

MODELS, DATA = {}, {}


def register_model(name):
    def wrap(cls):
        assert issubclass(cls, L.LightningModule), "no model"
        MODELS[name] = cls
        return cls

    return wrap


def register_data(name):
    def wrap(cls):
        import lightning.pytorch as pl

        if not (issubclass(cls, pl.LightningDataModule) or issubclass(cls, Dataset)):
            raise TypeError("no data")
        DATA[name] = issubclass(cls, pl.LightningDataModule), cls
        return cls

    return wrap


@register_data("rows")
class Rows(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return torch.full((4,), index / 16)


@register_data("noise")
class Noise(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.randn(16, 4)), batch_size=4)


@register_model("net")
class Net(L.LightningModule):
    def __init__(self, width=1):
        super().__init__()
        self.layer = nn.Linear(4, width)

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@register_model("wide")
class Wide(Net):
    def __init__(self):
        super().__init__(width=8)


if __name__ == "__main__":
    L.seed_everything(4)
    is_module, _ = DATA["noise"]
    assert is_module
    assert not DATA["rows"][0]
    trainer = L.Trainer(max_epochs=1, accelerator="cpu", logger=False)
    model = MODELS["wide"]()
    trainer.fit(model, Noise())
    print(len(DATA["rows"][1]()))
