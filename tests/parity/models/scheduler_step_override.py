import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class CosineByEpoch:
    """A scheduler that is none of torch's: it is told the epoch, as timm's are."""

    def __init__(self, optimizer, epochs):
        self.optimizer = optimizer
        self.epochs = epochs
        self.base = [group["lr"] for group in optimizer.param_groups]
        self.last = 0

    def step(self, epoch):
        self.last = epoch
        scale = 0.5 * (1 + torch.tensor(torch.pi * epoch / self.epochs).cos().item())
        for group, lr in zip(self.optimizer.param_groups, self.base):
            group["lr"] = lr * scale

    def state_dict(self):
        return {"last": self.last, "base": self.base}

    def load_state_dict(self, state):
        self.last, self.base = state["last"], state["base"]


class OwnScheduler(L.LightningModule):
    def __init__(self, lr: float = 0.4, epochs: int = 3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch[0]) - 1).square().mean()
        self.log("loss", loss)
        self.log("lr", self.optimizer.param_groups[0]["lr"])
        return loss

    def configure_optimizers(self):
        self.optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr)
        scheduler = CosineByEpoch(self.optimizer, self.hparams.epochs)
        return [self.optimizer], [{"scheduler": scheduler, "interval": "epoch"}]

    def lr_scheduler_step(self, scheduler, metric):
        scheduler.step(epoch=self.current_epoch + 1)

    def train_dataloader(self):
        x = torch.randn(24, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4)
