import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("loss", self.training_step(batch, batch_idx))

    def test_step(self, batch, batch_idx):
        self.log("loss", self.training_step(batch, batch_idx))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)


class Data(L.LightningDataModule):
    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def val_dataloader(self):
        return self.train_dataloader()

    def test_dataloader(self):
        return self.train_dataloader()


def main(has_data, checkpoint):
    trainer = L.Trainer(max_epochs=2)
    arguments = {}
    if has_data:
        arguments["datamodule"] = Data()
    trainer.fit(Net(), **arguments)
    given = {"datamodule": Data(), "verbose": False}
    if checkpoint:
        given["ckpt_path"] = checkpoint
    trainer.validate(Net(), **given)
    trainer.test(**given)
    old = {}
    old["test_dataloader"] = Data().test_dataloader()
    trainer.test(Net(), **old)


if __name__ == "__main__":
    main(True, None)
