import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SecondOrderByHand(L.LightningModule):
    """LBFGS is given the closure that it calls several times."""

    def __init__(self, lr: float = 0.5):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
        self.lr = lr

    @property
    def automatic_optimization(self):
        return False

    def training_step(self, batch, batch_idx):
        x, y = batch
        optimizer = self.optimizers()

        def closure():
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.net(x), y)
            self.manual_backward(loss)
            return loss

        loss = optimizer.step(closure=closure)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.LBFGS(self.parameters(), lr=self.lr, max_iter=5, history_size=4)

    def train_dataloader(self):
        x = torch.rand(32, 2, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, x.prod(1, keepdim=True)), batch_size=8)
