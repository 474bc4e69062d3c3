import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SkipsSteps(L.LightningModule):
    """optimizer_step that steps every second time only, and runs the closure alone otherwise."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[0])
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.3)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {
                "scheduler": torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9),
                "interval": "step",
            },
        }

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure):
        if batch_idx % 2 == 0:
            super().optimizer_step(epoch, batch_idx, optimizer, optimizer_closure)
        else:
            # call the closure by itself to run `training_step` + `backward` without an optimizer step
            optimizer_closure()

    def on_before_optimizer_step(self, optimizer):
        self.log("grad", self.net.weight.grad.norm())

    def on_train_epoch_end(self):
        self.log("steps", float(self.global_step))

    def train_dataloader(self):
        x = torch.randn(28, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4)


class RunsTheClosureFirst(SkipsSteps):
    """The closure called by hand, then a step without it."""

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure):
        loss = optimizer_closure()
        self.log("from_closure", loss)
        optimizer.step()
