import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ClipsInSomeEpochs(L.LightningModule):
    """configure_gradient_clipping that calls Lightning's own clipping with other values."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 7), nn.Tanh(), nn.Linear(7, 1))

    def training_step(self, batch, batch_idx):
        loss = self.net(batch[0]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_gradient_clipping(self, optimizer, gradient_clip_val, gradient_clip_algorithm):
        if self.current_epoch != 1:
            self.clip_gradients(optimizer, gradient_clip_val=0.01)
        elif self.global_step % 2:
            self.clip_gradients(optimizer, gradient_clip_val=0.002, gradient_clip_algorithm="value")
        self.log("grad", self.net[0].weight.grad.norm())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.5)

    def train_dataloader(self):
        x = torch.randn(24, 3, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x), batch_size=4)


class ClipsByHand(ClipsInSomeEpochs):
    """The same hook with torch's own functions."""

    def configure_gradient_clipping(self, optimizer, gradient_clip_val, gradient_clip_algorithm):
        limit = gradient_clip_val * (1 + self.global_step)
        norm = torch.nn.utils.clip_grad_norm_(self.net[0].parameters(), limit)
        self.log("norm", norm)
        nn.utils.clip_grad_value_(self.net[2].parameters(), limit / 10)
