import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SecondOrder(L.LightningModule):
    """LBFGS runs its closure several times a step."""

    def __init__(self, lr: float = 0.5):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
        self.lr = lr

    def on_train_epoch_start(self):
        self.evaluations = 0

    def training_step(self, batch, batch_idx):
        x, y = batch
        self.evaluations += 1
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("evaluations", float(self.evaluations))
        return loss

    def configure_optimizers(self):
        return torch.optim.LBFGS(self.parameters(), lr=self.lr, max_iter=5, history_size=4)

    def train_dataloader(self):
        x = torch.rand(32, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, x.prod(1, keepdim=True)), batch_size=8)
