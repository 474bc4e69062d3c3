from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset, TensorDataset

import lightning as L
import torch
from torch import nn


class Named(Dataset):
    """Gives dictionaries, of a dataset that gives tuples."""

    def __init__(self, inner: Dataset):
        self.inner = inner

    def __len__(self):
        return len(self.inner)

    def __getitem__(self, index):
        x, y = self.inner[index]
        return {"x": x, "y": y, "id": f"row {index}"}


class WrappedData(L.LightningDataModule):
    """Datasets wrapped, concatenated, and put into an attribute that held another kind."""

    def setup(self, stage):
        x = torch.randn(30, 3, generator=torch.Generator().manual_seed(0))
        self.train = TensorDataset(x, x.sum(1))
        self.train: Dataset = Named(self.train)
        self.val = ConcatDataset(
            [Named(TensorDataset(x[:6], x[:6].sum(1))), Subset(self.train, range(6, 10))]
        )

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=4, shuffle=True)

    def val_dataloader(self):
        return DataLoader(dataset=self.val, batch_size=4)


class OnDictionaries(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)

    def step(self, batch):
        assert all(name.startswith("row") for name in batch["id"])
        return (self.net(batch["x"]).squeeze(1) - batch["y"]).square().mean()

    def training_step(self, batch, batch_idx):
        loss = self.step(batch)
        self.log("loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.step(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
