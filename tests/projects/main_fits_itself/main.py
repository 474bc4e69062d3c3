"""A model that trains itself, as an estimator does."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def loader(count, seed):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(seed))
    return DataLoader(TensorDataset(x), batch_size=4, shuffle=not seed)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.history = {}

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch[0]).square().mean(), sync_dist=True)

    def predict_step(self, batch, batch_idx):
        return self.layer(batch[0])

    def on_train_epoch_end(self):
        self.history[self.trainer.current_epoch] = self.global_step

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def fit(self, train, val, epochs=3):
        trainer = L.Trainer(max_epochs=epochs, enable_progress_bar=False, callbacks=[EarlyStopping("val_loss")])
        trainer.fit(self, train_dataloaders=train, val_dataloaders=val)
        self.history["ended"] = trainer.current_epoch, self.current_epoch, trainer.callback_metrics["val_loss"].item()
        return self

    def predict(self, data):
        trainer = L.Trainer(logger=False, enable_progress_bar=False)
        return torch.cat(trainer.predict(self, data))


if __name__ == "__main__":
    L.seed_everything(4)
    model = Net().fit(loader(24, 0), loader(9, 1))
    results = {"predicted": model.predict(loader(8, 2)), "history": model.history}
    torch.save(results, f"main_fits_itself.{os.environ.get('RANK', '0')}.results.pt")
