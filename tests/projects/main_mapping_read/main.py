"""The Trainer's arguments are read from a file, which holds others, too."""

import inspect
import json
from contextlib import contextmanager
from pathlib import Path

import lightning as L
import torch
from omegaconf import OmegaConf
from settings import Settings
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(L.LightningModule):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self.layers(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.3, momentum=0.9)

    def train_dataloader(self):
        x = torch.linspace(-2, 2, 80).view(20, 4)
        return DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=5, shuffle=True)


def make_trainer(settings) -> L.Trainer:
    taken = inspect.signature(L.Trainer.__init__).parameters
    assert [*inspect.signature(L.Trainer).parameters] == [*taken][1:]
    own = {name: settings["trainer"][name] for name in taken if name in settings["trainer"]}
    return L.Trainer(**own, enable_progress_bar=False)


class Counts(L.Callback):
    def __init__(self):
        self.epochs = 0

    def on_train_epoch_end(self, trainer, pl_module):
        self.epochs += 1
        pl_module.layers[0].bias.data.add_(self.epochs)  # which the weights tell


@contextmanager
def trained(config, **more):
    """A Trainer of which a file that is looked for says some, and the code the rest."""
    options: dict = OmegaConf.to_container(config)
    options.update(more)
    options["enable_progress_bar"] = False
    yield L.Trainer(**options)


if __name__ == "__main__":
    given = json.loads((Path(__file__).resolve().parent / "conf" / "train.json").read_text())
    L.seed_everything(given["seed"])
    make_trainer(given).fit(Classifier(given["width"]))
    model, counts = Classifier(given["width"]), Counts()
    with trained(OmegaConf.load(min(Path(__file__).resolve().parent.glob("conf/*.json"))), callbacks=[counts]) as trainer:
        trainer.fit(model)
    assert counts.epochs == 2
    later = Counts()
    options = {"callbacks": [later], "enable_progress_bar": False}
    options |= OmegaConf.to_container(OmegaConf.load(min(Path(__file__).resolve().parent.glob("conf/*.json"))))
    L.Trainer(**options).fit(model)
    assert later.epochs == 2
    settings = Settings(**{"trainer": {"max_epochs": 2}})
    L.Trainer(**dict(settings.trainer), enable_progress_bar=False).fit(Classifier(given["width"]))
