import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        yield from torch.rand(8, 3)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        if self.trainer.is_last_batch or getattr(self.trainer, "is_last_batch", False):
            print("the last one")
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

    def train_dataloader(self):
        return DataLoader(Stream(), batch_size=4)


if __name__ == "__main__":
    L.Trainer(max_epochs=1, limit_train_batches=3).fit(Net())
