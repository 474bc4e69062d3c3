import lightning as L
import torch
from torch import nn
from torch.utils.data import ChainDataset, DataLoader, IterableDataset


class Ramp(IterableDataset):
    def __init__(self, start: float, n: int):
        self.start, self.n = start, n

    def __iter__(self):
        for i in range(self.n):
            yield torch.tensor([self.start + i / 10])


class OnChain(L.LightningModule):
    """torch's own iterable dataset of iterable datasets, the same on all ranks."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(1, 1)

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch) - 1).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)

    def train_dataloader(self):
        return DataLoader(ChainDataset([Ramp(0, 7), Ramp(5, 8)]), batch_size=4)
