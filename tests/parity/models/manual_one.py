import json
import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ByHand(L.LightningModule):
    """One optimizer: gradients added up and clipped, and a scheduler stepped, by hand."""

    automatic_optimization = False

    def __init__(self, lr: float = 0.1, window: int = 3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 1))
        self.calls = []

    def note(self, hook, *seen):
        self.calls.append([hook, self.global_step, *seen])

    def training_step(self, batch, batch_idx):
        x, y = batch
        optimizer, scheduler = self.optimizers(), self.lr_schedulers()
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss)
        self.log("loss_mean", loss, on_step=False, on_epoch=True, sync_dist=True)
        self.manual_backward(loss / self.hparams.window)
        if (batch_idx + 1) % self.hparams.window:
            return None
        self.clip_gradients(optimizer, gradient_clip_val=0.05, gradient_clip_algorithm="norm")
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()
        self.log("lr", scheduler.get_last_lr()[0])
        return {"loss": loss, "x": x.sum()}

    def on_train_batch_start(self, batch, batch_idx):
        self.note("on_train_batch_start", batch_idx)

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.note("on_train_batch_end", {key: value.item() for key, value in outputs.items()})

    def on_before_backward(self, loss):
        self.note("on_before_backward", loss.item())

    def on_after_backward(self):
        self.note("on_after_backward", [p.grad.abs().sum().item() for p in self.parameters()])

    def on_before_zero_grad(self, optimizer):
        self.note("on_before_zero_grad")

    def optimizer_step(self, *args, **kwargs):
        self.note("optimizer_step")

    def configure_gradient_clipping(self, *args, **kwargs):
        self.note("configure_gradient_clipping")

    def lr_scheduler_step(self, scheduler, metric):
        self.note("lr_scheduler_step")

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x), y))

    def teardown(self, stage):
        path = os.environ.get("DDPGEN_HOOK_LOG")
        if path:
            with open(f"{path}.{self.global_rank}.json", "w") as file:
                json.dump(self.calls, file)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "step"}}

    def train_dataloader(self):
        x = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=True)

    def val_dataloader(self):
        x = torch.randn(12, 3, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=3)
