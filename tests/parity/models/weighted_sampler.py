import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


class Imbalanced(L.LightningModule):
    """A weighted sampler; with several ranks each reads its share of what the sampler draws."""

    def __init__(self, replacement: bool = True):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Linear(3, 2)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.net(x), y)
        self.log("loss", loss)
        self.log("positives", y.float().sum(), on_epoch=True, on_step=True, reduce_fx="sum")
        return loss

    def configure_optimizers(self):
        return {"optimizer": torch.optim.SGD(self.parameters(), lr=0.2)}

    def train_dataloader(self):
        x = torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
        y = (x[:, 0] > 1).long()
        weights = torch.where(y == 1, 0.9, 0.1)
        sampler = WeightedRandomSampler(weights, num_samples=32, replacement=self.hparams.replacement)
        return DataLoader(TensorDataset(x, y), batch_size=4, sampler=sampler)
