import json
import os

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EveryHook(L.LightningModule):
    """Writes down each hook as it is called, with what it can see, and leaves the list in a file."""

    def __init__(self, lr: float = 0.1):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.1), nn.Linear(4, 1))
        self.calls = []
        self.note("__init__")

    def note(self, hook, *seen):
        self.calls.append([hook, self.training, torch.is_grad_enabled(), *seen])

    def grads(self):
        return [None if p.grad is None else p.grad.abs().sum().item() for p in self.parameters()]

    # ---- the beginning and the end

    def prepare_data(self):
        self.note("prepare_data")

    def setup(self, stage):
        self.note("setup", stage)
        x = torch.randn(20, 2, generator=torch.Generator().manual_seed(0))
        self.dataset = TensorDataset(x, x.sum(1, keepdim=True))

    def configure_optimizers(self):
        self.note("configure_optimizers")
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 2), "interval": "step"},
        }

    def train_dataloader(self):
        self.note("train_dataloader")
        return DataLoader(self.dataset, batch_size=2, shuffle=True)

    def val_dataloader(self):
        self.note("val_dataloader")
        return DataLoader(self.dataset, batch_size=5)

    def on_fit_start(self):
        self.note("on_fit_start", self.global_step, self.current_epoch)

    def on_fit_end(self):
        self.note("on_fit_end", self.global_step, self.current_epoch)

    def on_train_start(self):
        self.note("on_train_start", self.global_step, self.current_epoch)

    def on_train_end(self):
        self.note("on_train_end", self.global_step, self.current_epoch)

    def teardown(self, stage):
        self.note("teardown", stage)
        path = os.environ.get("DDPGEN_HOOK_LOG")
        if path:
            with open(f"{path}.{self.global_rank}.json", "w") as file:
                json.dump(self.calls, file)

    # ---- epochs and batches

    def on_train_epoch_start(self):
        self.note("on_train_epoch_start", self.current_epoch, self.global_step)

    def on_train_epoch_end(self):
        self.note("on_train_epoch_end", self.current_epoch, self.global_step, self.grads())

    def on_train_batch_start(self, batch, batch_idx):
        self.note("on_train_batch_start", batch_idx, batch[0].tolist())

    def on_train_batch_end(self, outputs, batch, batch_idx):
        outputs = {k: v.item() for k, v in outputs.items()}
        self.note("on_train_batch_end", outputs, batch_idx, self.global_step)

    def on_validation_start(self):
        self.note("on_validation_start", self.trainer.sanity_checking, self.grads())

    def on_validation_end(self):
        self.note("on_validation_end", self.trainer.sanity_checking)

    def on_validation_epoch_start(self):
        self.note("on_validation_epoch_start")

    def on_validation_epoch_end(self):
        self.note("on_validation_epoch_end", self.current_epoch)

    def on_validation_batch_start(self, batch, batch_idx):
        self.note("on_validation_batch_start", batch_idx)

    def on_validation_batch_end(self, outputs, batch, batch_idx):
        self.note("on_validation_batch_end", outputs.item(), batch_idx)

    # ---- one batch

    def on_before_batch_transfer(self, batch, dataloader_idx):
        self.note("on_before_batch_transfer", dataloader_idx)
        return batch

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        self.note("transfer_batch_to_device", str(device), dataloader_idx)
        return super().transfer_batch_to_device(batch, device, dataloader_idx)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        self.note("on_after_batch_transfer", dataloader_idx)
        return batch

    def forward(self, x):
        self.note("forward")
        return self.net(x)

    def training_step(self, batch, batch_idx):
        self.note("training_step", batch_idx, self.global_step)
        x, y = batch
        loss = (self(x) - y).square().mean()
        self.log("loss", loss)
        return {"loss": loss, "twice": 2 * loss.detach()}

    def validation_step(self, batch, batch_idx):
        self.note("validation_step", batch_idx)
        x, y = batch
        loss = (self(x) - y).square().mean()
        self.log("val_loss", loss)
        return loss

    def on_before_zero_grad(self, optimizer):
        self.note("on_before_zero_grad", self.grads())

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        self.note("optimizer_zero_grad", epoch, batch_idx)
        super().optimizer_zero_grad(epoch, batch_idx, optimizer)

    def on_before_backward(self, loss):
        self.note("on_before_backward", loss.item())

    def backward(self, loss, *args, **kwargs):
        self.note("backward", loss.item(), len(args), len(kwargs))
        super().backward(loss, *args, **kwargs)

    def on_after_backward(self):
        self.note("on_after_backward", self.grads())

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None):
        self.note("optimizer_step", epoch, batch_idx, self.global_step)
        super().optimizer_step(epoch, batch_idx, optimizer, optimizer_closure)
        self.note("optimizer_step done", self.global_step)

    def on_before_optimizer_step(self, optimizer):
        self.note("on_before_optimizer_step", self.grads())

    def configure_gradient_clipping(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        self.note("configure_gradient_clipping", gradient_clip_val, gradient_clip_algorithm)
        self.clip_gradients(optimizer, gradient_clip_val, gradient_clip_algorithm)
        self.note("clipped", self.grads())

    def lr_scheduler_step(self, scheduler, metric):
        self.note("lr_scheduler_step", scheduler.get_last_lr(), metric)
        super().lr_scheduler_step(scheduler, metric)

    # ---- checkpoints

    def on_save_checkpoint(self, checkpoint):
        self.note("on_save_checkpoint", checkpoint["epoch"], checkpoint["global_step"])

    def on_load_checkpoint(self, checkpoint):
        self.note("on_load_checkpoint", checkpoint["epoch"])
