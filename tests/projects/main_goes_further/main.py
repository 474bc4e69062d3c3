"""One Trainer that fits again and again: each time with more epochs, from where it stopped, with new data."""

import os

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


def samples(count, seed):
    x = torch.randn(count, 6, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :3].argmax(1))


class Notes(Callback):
    def __init__(self):
        self.seen = []

    def on_train_epoch_start(self, trainer, pl_module):
        self.seen.append((trainer.current_epoch, trainer.global_step, trainer.max_epochs))

    def on_train_end(self, trainer, pl_module):
        self.seen.append(trainer.global_step)


class Learner(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))

    def training_step(self, batch, batch_idx):
        loss = F.cross_entropy(self.layers(batch[0]), batch[1])
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", F.cross_entropy(self.layers(batch[0]), batch[1]), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.02)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=self.trainer.max_epochs)
        return {"optimizer": optimizer, "lr_scheduler": schedule}


if __name__ == "__main__":
    L.seed_everything(2)
    ModelCheckpoint.FILE_EXTENSION = ".pt"
    notes, best = Notes(), ModelCheckpoint(dirpath="kept", monitor="val_loss")
    trainer = L.Trainer(
        max_epochs=2,
        accelerator="cpu",
        devices=int(os.environ.get("WORLD_SIZE", "1")),
        logger=False,
        callbacks=[notes, best],
        accumulate_grad_batches=2,
    )
    model = Learner()
    val_loader = DataLoader(samples(12, 9), batch_size=4)
    scores = []
    for task in range(3):
        train_loader = DataLoader(samples(20 + 4 * task, task), batch_size=4, shuffle=True)
        trainer.fit(model, train_loader, val_loader)
        scores.append((trainer.current_epoch, trainer.global_step, trainer.callback_metrics["val_loss"].item()))
        trainer.fit_loop.max_epochs += task + 1
    scores.append(trainer.fit_loop.max_epochs)
    results = {"seen": notes.seen, "scores": scores, "best": float(best.best_model_score), "draw": torch.rand(2)}
    results["kept"] = os.path.basename(best.best_model_path)
    results["weights"] = model.state_dict()
    torch.save(results, f"main_goes_further.{RANK}.results.pt")
