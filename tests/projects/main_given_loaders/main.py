"""Evaluation on loaders that the main hands over: alone, several, shuffled, and of a checkpoint's weights."""

import os
import sys

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def loader(count, seed, **options):
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=4, **options)


class Net(L.LightningModule):
    def __init__(self, train_loader, val_loader=None, test_loader=None, predict_loader=None):
        super().__init__()
        self.train_dataloader = train_loader  # which no call asks for
        self.val_dataloader = val_loader
        self.test_dataloader = test_loader
        self.predict_dataloader = predict_loader
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3))
        self.loaded = 0
        self.told = []

    def forward(self, batch):
        return self.layers(batch[0])

    def loss(self, batch):
        return F.cross_entropy(self(batch), batch[1])

    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def validation_step(self, batch, batch_idx, dataloader_idx=None):  # of one alone it is not told
        self.log("val_loss" if dataloader_idx is None else f"val_loss of {dataloader_idx}", self.loss(batch))
        self.told.append(dataloader_idx)

    def on_validation_batch_end(self, outputs, *place):
        self.told.append(len(place))

    def test_step(self, batch, batch_idx):
        self.log("test_loss", self.loss(batch), on_step=True, on_epoch=True, sync_dist=True)
        self.log("epoch", float(self.trainer.current_epoch))

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return [batch[0] + dataloader_idx, batch[1]]

    def on_load_checkpoint(self, checkpoint):
        self.loaded += 1

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Run:
    def __init__(self, share):
        self.trainer = L.Trainer(
            max_epochs=2, enable_progress_bar=False, limit_test_batches=share, limit_predict_batches=2
        )
        self.model = Net(loader(20, 10), val_loader=loader(8, 11))

    def train(self):
        self.trainer.fit(self.model, loader(40, 0, shuffle=True), [loader(9, 1), loader(14, 2)])
        print(len(self.model.train_dataloader), self.model.test_dataloader)
        return self.trainer.validate(self.model, dataloaders=loader(10, 3, shuffle=True))

    def test(self):
        shuffled = loader(26, 4, shuffle=True)
        yield self.trainer.test(self.model, dataloaders=shuffled)
        yield self.trainer.test(self.model, shuffled, verbose=False)
        if RANK == "0":
            torch.save({"state_dict": self.model.state_dict(), "pytorch-lightning_version": "2.6.6"}, "net.ckpt")
        torch.nn.init.zeros_(self.model.layers[0].weight)
        yield self.trainer.validate(self.model, loader(9, 9))
        yield self.trainer.test(self.model, loader(26, 5), "net.ckpt")
        yield self.model.loaded
        yield self.model.told

    def predict(self):
        yield self.trainer.predict(self.model, [loader(22, 6, shuffle=True)])
        yield self.trainer.predict(dataloaders=[loader(5, 7), loader(9, 8)], model=self.model)


def main():
    L.seed_everything(4)
    run = Run(share=len(sys.argv) * 0.75)
    results = [run.train(), list(run.test()), list(run.predict()), torch.get_rng_state()]
    torch.save(results, f"main_given_loaders.{RANK}.results.pt")


if __name__ == "__main__":
    main()
