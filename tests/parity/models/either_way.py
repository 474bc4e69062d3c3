import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class EitherWay(L.LightningModule):
    """Steps its optimizer itself, or has it stepped, as an argument says."""

    def __init__(self, by_hand: bool = False, lr: float = 0.1):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = not self.hparams.by_hand
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.layer(x), y)
        self.log("loss", loss)
        if not self.automatic_optimization:
            optimizer = self.optimizers()
            optimizer.zero_grad()
            self.manual_backward(2 * loss)
            optimizer.step()
        return loss

    def backward(self, loss, *args, **kwargs):
        super().backward(loss, *args, **kwargs)
        self.log("slope", self.layer.weight.grad.sum())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)

    def train_dataloader(self):
        x = torch.rand(24, 3, generator=torch.Generator().manual_seed(1))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=True)
