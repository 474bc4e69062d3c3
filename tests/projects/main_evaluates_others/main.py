"""Models that are but evaluated, beside those that are trained: a baseline, a test of its own, folds put together."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")
SEEN = []


def samples(count, seed):
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :3].argmax(1))


class Data(L.LightningDataModule):
    def setup(self, stage):
        SEEN.append(("data", str(stage)))

    def train_dataloader(self):
        return DataLoader(samples(24, 1), batch_size=3, shuffle=True)

    def val_dataloader(self):
        return DataLoader(samples(12, 2), batch_size=3)

    def test_dataloader(self):
        return [DataLoader(samples(12, 3), batch_size=3), DataLoader(samples(8, 4), batch_size=2)]


class Net(L.LightningModule):
    def __init__(self, width=8, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layers = nn.Sequential(nn.Linear(6, width), nn.Dropout(0.2), nn.Linear(width, 3))

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, batch_idx):
        loss = nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", nn.functional.cross_entropy(self(batch[0]), batch[1]), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)


class Tested(Net):
    """Has the steps that the trained class lacks, and one more hyperparameter."""

    def __init__(self, width=8, lr=0.1, scale=1.0):
        super().__init__(width, lr)
        self.save_hyperparameters()

    def on_test_start(self):
        SEEN.append(("test", self.trainer.current_epoch, self.trainer.global_step))

    def test_step(self, batch, batch_idx, dataloader_idx):
        loss = self.hparams.scale * nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.log("test_loss", loss, on_step=True, on_epoch=True, sync_dist=True)
        return loss

    def predict_step(self, batch, batch_idx):
        return self(batch[0]).argmax(1)

    def predict_dataloader(self):
        return DataLoader(samples(10, 3), batch_size=3)


class Together(L.LightningModule):
    """The mean of several; it is never trained, and could not be."""

    def __init__(self, nets):
        super().__init__()
        self.nets = nn.ModuleList(nets)

    def forward(self, x):
        return torch.stack([net(x).softmax(1) for net in self.nets]).mean(0)

    def validation_step(self, batch, batch_idx):
        self.log("right", (self(batch[0]).argmax(1) == batch[1]).float().mean(), sync_dist=True)

    def on_validation_epoch_end(self):
        SEEN.append(("together", self.trainer.validating))


class Constant(L.LightningModule):
    def test_step(self, batch, batch_idx):
        self.log("right", (batch[1] == 1).float().mean(), sync_dist=True)


class Watch(Callback):
    def on_test_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        SEEN.append((type(pl_module).__name__, batch_idx, dataloader_idx, outputs))

    def on_test_epoch_end(self, trainer, pl_module):
        pl_module.log("watched", 2.0)


def main():
    L.seed_everything(3)
    quiet = {"logger": False, "enable_progress_bar": False}
    found, nets = [], []
    found.append(L.Trainer(**quiet).test(Constant(), DataLoader(samples(8, 4), batch_size=2)))
    for fold in range(2):
        kept = ModelCheckpoint(f"main_evaluates_others/{fold}", monitor="val_loss")
        trainer = L.Trainer(max_epochs=2, callbacks=[kept, Watch()], **quiet)
        data, net = Data(), Net(lr=0.1 / (fold + 1))
        trainer.fit(net, datamodule=data)
        found.append(trainer.validate(net, datamodule=data))
        tested = Tested.load_from_checkpoint(kept.best_model_path, scale=2.0)
        found.append(trainer.test(tested, datamodule=data))
        found.append(trainer.test(Tested(lr=0.5), datamodule=data, ckpt_path="best"))
        found.append({name: float(value) for name, value in sorted(trainer.callback_metrics.items())})
        found.append(L.Trainer(**quiet).predict(tested))
        found.append(dict(tested.hparams))
        nets.append(net)
    tester = L.Trainer(**quiet)
    found.append(tester.validate(Together(nets), DataLoader(samples(12, 2), batch_size=3), verbose=False))
    torch.save([*found, SEEN], f"main_evaluates_others.{RANK}.results.pt")


if __name__ == "__main__":
    main()
