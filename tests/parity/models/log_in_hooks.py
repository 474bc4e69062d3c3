import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LogsFromHooks(L.LightningModule):
    """Values logged in every hook that allows it, with the hook's own default for on_step and on_epoch."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 2))
        self.losses = []

    def on_train_start(self):
        self.log("on_train_start", 1.5)

    def on_train_epoch_start(self):
        self.losses.clear()
        self.log("on_train_epoch_start", self.current_epoch)

    def on_train_batch_start(self, batch, batch_idx):
        self.log("on_train_batch_start", batch[0].mean())

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.losses.append(loss.detach())
        self.log("loss", loss)
        self.log("shared_name", loss, on_step=False, on_epoch=True)
        return loss

    def on_before_zero_grad(self, optimizer):
        self.log("on_before_zero_grad", self.norm(), on_step=True)

    def on_before_backward(self, loss):
        self.log("on_before_backward", loss)

    def backward(self, loss):
        loss.backward()
        self.log("backward", loss * 2)

    def on_after_backward(self):
        self.log("on_after_backward", self.norm(), on_step=True, on_epoch=True)

    def on_before_optimizer_step(self, optimizer):
        self.log("on_before_optimizer_step", self.norm())
        self.log_dict({f"grad/{n}": p.grad.norm() for n, p in self.named_parameters()})

    def on_train_batch_end(self, outputs, batch, batch_idx):
        self.log("on_train_batch_end", outputs["loss"], on_step=True, on_epoch=True)

    def on_train_epoch_end(self):
        self.log("on_train_epoch_end", torch.stack(self.losses).mean())
        self.log("batches", len(self.losses), prog_bar=True)

    def on_validation_start(self):
        self.log("on_validation_start", self.norm())

    def on_validation_epoch_start(self):
        self.outputs = []
        self.log("on_validation_epoch_start", 1.0 + self.current_epoch)

    def on_validation_batch_start(self, batch, batch_idx, dataloader_idx=0):
        self.log("on_validation_batch_start", batch[0].std())

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.outputs.append(loss)
        self.log("val_loss", loss)
        return {"val_loss": loss, "n": len(y)}

    def on_validation_batch_end(self, outputs, batch, batch_idx, dataloader_idx: int = 0) -> None:
        self.log("on_validation_batch_end", outputs["val_loss"] * outputs["n"], on_step=True, on_epoch=True)

    def on_validation_epoch_end(self):
        self.log("on_validation_epoch_end", torch.stack(self.outputs).mean(), sync_dist=True, prog_bar=True)

    def norm(self):
        total = torch.zeros(())
        for p in self.parameters():
            if p.grad is not None:
                total = total + p.grad.norm() ** 2
        return total.sqrt()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def setup(self, stage):
        x = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
        self.data = TensorDataset(x, (x[:, 0] > x[:, 1]).long())

    def train_dataloader(self):
        return DataLoader(self.data, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.data, batch_size=10)
