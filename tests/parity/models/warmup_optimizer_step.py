import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ManualWarmup(L.LightningModule):
    """optimizer_step as in Lightning's documentation: learning rate warm-up without a scheduler."""

    def __init__(self, learning_rate: float = 0.2, warmup: int = 6):
        super().__init__()
        self.save_hyperparameters()
        self.learning_rate = learning_rate
        self.net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 3))

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[0])
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.learning_rate)

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure):
        # update params
        optimizer.step(closure=optimizer_closure)

        # manually warm up lr without a scheduler
        if self.trainer.global_step < self.hparams.warmup:
            lr_scale = min(1.0, float(self.trainer.global_step + 1) / self.hparams.warmup)
            for pg in optimizer.param_groups:
                pg["lr"] = lr_scale * self.learning_rate
        self.log("lr", optimizer.param_groups[0]["lr"], on_step=True)

    def train_dataloader(self):
        x = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=5, shuffle=True)
