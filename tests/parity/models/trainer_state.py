import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ReadsTheTrainer(L.LightningModule):
    """What the model reads of its trainer goes into the loss, so that a wrong value changes the weights."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 2)
        self.sanity_batches = 0

    def training_step(self, batch, batch_idx):
        x, y = batch
        t = self.trainer
        progress = (self.global_step + 1) / t.estimated_stepping_batches
        noise = torch.randn(x.shape, device=self.device) * 0.1 * (1 - progress)
        loss = nn.functional.cross_entropy(self.net(x + noise), y)
        loss = (
            loss * (1 + self.current_epoch / t.max_epochs) + 1e-3 * t.current_epoch * self.net.weight.norm()
        )
        loss = loss + 1e-3 * t.num_training_batches * self.net.bias.square().sum() / t.world_size
        self.log("loss", loss)
        self.log_dict(
            {
                "progress": progress,
                "epoch_float": self.current_epoch + batch_idx / t.num_training_batches,
                "steps": float(t.global_step),
                "max_steps": t.max_steps,
                "every": t.log_every_n_steps,
                "window": t.accumulate_grad_batches,
                "rank": self.global_rank + 10 * t.global_rank + 100 * self.local_rank,
                "main": t.is_global_zero,
                "data": t.datamodule.batch_size,
            }
        )
        if "val_loss" in t.callback_metrics:
            loss = loss + 0.01 * t.callback_metrics["val_loss"] * self.net.weight.mean()
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        if self.trainer.sanity_checking:
            self.sanity_batches += 1
            return
        self.log("val_loss", nn.functional.cross_entropy(self.net(x), y), sync_dist=True)
        self.log("sanity_batches", float(self.sanity_batches))
        if not (self.trainer.ckpt_path and self.trainer._run_sanity_check):  # a method
            self.log("from_the_start", 1.0)

    def on_train_epoch_end(self):
        metrics = self.trainer.callback_metrics
        self.log("seen_by_callbacks", float(metrics["loss"]) + float(metrics["val_loss"]))
        self.print(f"epoch {self.current_epoch} done")

    def configure_optimizers(self):
        steps = self.trainer.max_epochs * 4
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, steps, power=2.0)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}


class Points(L.LightningDataModule):
    def __init__(self, batch_size: int = 4):
        super().__init__()
        self.save_hyperparameters()
        self.batch_size = batch_size

    def dataset(self, n):
        x = torch.randn(n, 3, generator=torch.Generator().manual_seed(n))
        return TensorDataset(x, x.argmax(1) // 2)

    def train_dataloader(self):
        return DataLoader(self.dataset(40), batch_size=self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.dataset(16), batch_size=self.hparams.batch_size)
