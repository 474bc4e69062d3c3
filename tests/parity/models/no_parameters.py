import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset


class CountsWords(L.LightningModule):
    """Nothing to train: statistics alone."""

    def __init__(self):
        super().__init__()
        self.register_buffer("counts", torch.zeros(5, dtype=torch.long))

    def training_step(self, batch, batch_idx):
        self.counts += torch.bincount(batch[0], minlength=5)
        self.log("total", self.counts.sum().float())

    def configure_optimizers(self):
        return None

    def train_dataloader(self):
        words = torch.randint(0, 5, (20,), generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(words), batch_size=4)
