"""jsonargparse's parsers make the model and its data, and say what the Trainer is given."""

import lightning as L
import torch
from jsonargparse import ArgumentParser
from lightning import Trainer
from lightning.pytorch.cli import LightningArgumentParser
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self, width: int = 4, rate: float = 0.3):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 2))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.layers(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate, momentum=0.9)


class Data(L.LightningDataModule):
    def __init__(self, size: int = 5, wide: bool = False):
        super().__init__()
        self.size = size + wide

    def train_dataloader(self):
        x = torch.linspace(-2, 2, 96).view(24, 4)
        return DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=self.size, shuffle=True)


def described():
    """Only the model and its data are made by the parser."""
    parser = LightningArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_lightning_class_args(Trainer, "trainer")
    parser.add_lightning_class_args(Net, "model")
    parser.add_lightning_class_args(Data, "data")
    parser.link_arguments("model.width", "data.size")
    parser.set_defaults({"trainer.max_epochs": 2, "model.rate": 0.1})
    args = parser.parse_args(["--model.width=3", "--trainer.gradient_clip_val=0.5"])
    L.seed_everything(args.seed)
    made = parser.instantiate_classes(args)
    Trainer(**made.trainer).fit(made.model, made["data"])
    print("seen:", made.model.hparams.width, made.data.size)


def unpacked():
    """What is parsed is unpacked into the classes."""
    parser = ArgumentParser()
    parser.add_class_arguments(Data, "data", default={"wide": True})
    parser.add_class_arguments(Net, "model")
    parser.add_class_arguments(
        Trainer, "trainer", default={"max_steps": 11, "accumulate_grad_batches": 2, "log_every_n_steps": 3}
    )
    args = parser.parse_args(["--trainer.accumulate_grad_batches=3"])
    print("kept:", args.trainer.pop("callbacks"), args.trainer.num_nodes)
    Trainer(**args.trainer).fit(Net(**args.model), Data(**args.data))


if __name__ == "__main__":
    described()
    unpacked()
