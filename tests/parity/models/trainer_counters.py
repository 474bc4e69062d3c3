import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Counting(L.LightningModule):
    """Logs the counters of the trainer's loops, and its settings."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def counters(self):
        return {
            "batch_idx": float(self.trainer.fit_loop.epoch_loop.batch_idx + 10 * self.trainer.fit_loop.batch_idx),
            "total": float(self.trainer.fit_loop.epoch_loop.total_batch_idx + self.trainer.fit_loop.total_batch_idx),
            "completed": float(self.trainer.fit_loop.epoch_progress.current.completed),
            "steps": float(self.trainer.fit_loop.epoch_loop.global_step),
        }

    def training_step(self, batch, batch_idx):
        x, y = batch
        trainer = self.trainer
        self.log_dict({f"in_step_{name}": value for name, value in self.counters().items()})
        self.log("last", float(self.trainer.fit_loop.epoch_loop.batch_progress.is_last_batch))
        if trainer.min_steps:
            self.log("epochs", float(trainer.fit_loop.max_epochs + 10 * trainer.fit_loop.min_epochs))
        self.log("batches", float(trainer.fit_loop.max_batches))
        self.log("limits", float(trainer.limit_train_batches + 10 * trainer.limit_val_batches))
        self.log("tried", float(trainer.num_sanity_val_steps))
        self.log("least", float(trainer.min_epochs + (trainer.min_steps or 0)))
        self.log("reloads", float(trainer.reload_dataloaders_every_n_epochs + trainer.overfit_batches))
        return nn.functional.mse_loss(self.layer(x), y)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.layer(x), y))

    def on_train_batch_start(self, batch, batch_idx):
        for optimizer in self.trainer.strategy.optimizers:
            for group in optimizer.param_groups:
                group["lr"] *= 0.9
        self.log("named", float(self.trainer.strategy.__class__.__name__ == "DDPStrategy"))
        self.log("same", float(self.trainer.strategy.lightning_module is self))

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.log("total_after", float(self.trainer.fit_loop.epoch_loop.total_batch_idx))

    def on_train_epoch_end(self):
        for name, value in self.counters().items():
            self.log(f"at_end_{name}", value)

    def configure_optimizers(self):
        batches = len(self.trainer.fit_loop._data_source.dataloader())
        return torch.optim.SGD(self.parameters(), lr=1 / batches)

    def train_dataloader(self):
        return self.loader(20, shuffle=True)

    def val_dataloader(self):
        return self.loader(8, shuffle=False)

    @staticmethod
    def loader(count, shuffle):
        x = torch.randn(count, 3, generator=torch.Generator().manual_seed(count))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=2, shuffle=shuffle)
