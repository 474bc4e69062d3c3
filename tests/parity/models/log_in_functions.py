import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def log_loss(module, stage, loss):
    module.log(f"{stage}_loss", loss, on_step=True, on_epoch=True)
    if module.current_epoch:
        log_step(step=module.global_step, to=module)


def log_step(to, step):
    to.log_dict({"steps": float(step)}, reduce_fx="max")


class Norms:
    def __init__(self, module, scale=1.0):
        self.scale = scale
        self.owner = module

    def __call__(self):
        for name, parameter in self.owner.net.named_parameters():
            self.owner.log(f"norm_{name}", parameter.detach().norm() * self.scale)


class Files:
    @staticmethod
    def rate(of, module):
        return of.optimizers if module is None else module.trainer.max_epochs


class LogsInFunctions(L.LightningModule):
    """The class itself never calls `log`: functions and objects that it is handed to do."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)
        self.norms = Norms(self, scale=0.5)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).square().mean() / Files.rate(None, self)
        log_loss(self, "train", loss)
        self.norms()
        return loss

    def validation_step(self, batch, batch_idx):
        log_loss(self, loss=self.net(batch[0]).square().mean(), stage="val")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(
            TensorDataset(torch.randn(20, 2, generator=torch.Generator().manual_seed(0))), batch_size=4
        )

    def val_dataloader(self):
        return self.train_dataloader()
