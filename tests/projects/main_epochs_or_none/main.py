"""Validation by epochs, or by batches over all of them, as settings say that are known only when this runs."""

import os

import lightning as L
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def samples(count):
    x = torch.randn(count, 4, generator=torch.Generator().manual_seed(count))
    return x, x.sum(1, keepdim=True)


class Net(L.LightningModule):
    def __init__(self, seen):
        super().__init__()
        self.seen = seen
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", nn.functional.mse_loss(self.layer(batch[0]), batch[1]), sync_dist=True)

    def on_validation_end(self):
        loss = self.trainer.callback_metrics.get("val_loss", torch.tensor(0.0)).item()
        self.seen.append((self.current_epoch, self.global_step, self.trainer.sanity_checking, loss))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


def run(config, data):
    L.seed_everything(3)
    seen, model_checkpoint = [], ModelCheckpoint("epochs_or_none", monitor="val_loss", save_top_k=2)
    trainer = L.Trainer(
        max_epochs=4,
        check_val_every_n_epoch=(1 if config["kind"] == "each" else (2 if config["kind"] == "second" else None)),
        val_check_interval=config["interval"],
        callbacks=[model_checkpoint, EarlyStopping("val_loss", patience=20)],
        logger=False,
        enable_progress_bar=False,
    )
    model = Net(seen)
    trainer.fit(model, data, DataLoader(TensorDataset(*samples(12)), batch_size=2))
    files = sorted(os.path.basename(path) for path in model_checkpoint.best_k_models)
    return seen, files, model.layer.weight.detach()


if __name__ == "__main__":
    sized = DataLoader(TensorDataset(*samples(40)), batch_size=4, shuffle=True)
    ways = [("each", None), ("each", 0.5), ("second", 2), ("all", None), ("all", 3), ("all", 30)]
    found = [run({"kind": kind, "interval": interval}, sized) for kind, interval in ways]
    torch.save(found, f"main_epochs_or_none.{RANK}.results.pt")
