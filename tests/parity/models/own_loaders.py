import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Chunks(Dataset):
    """A dataset whose items are whole batches."""

    def __len__(self):
        return 9

    def __getitem__(self, index):
        return torch.arange(8.0).view(4, 2) / 8 + index


class Loader(DataLoader):
    """A loader class of the user's own, with arguments of its own."""

    def __init__(self, dataset, *args, scale=2.0, **kwargs):
        super().__init__(dataset, *args, **kwargs)
        self.scale = scale

    def __iter__(self):
        for batch in super().__iter__():
            yield batch * self.scale


class OwnLoaders(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.2), nn.Linear(4, 1))

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch) - 1).square().mean()
        self.log("loss", loss, on_step=True, on_epoch=True)
        self.log("first", batch[0, 0])
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", (self.net(batch) - 1).square().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.001)

    def train_dataloader(self):
        return Loader(Chunks(), batch_size=None, shuffle=True, scale=0.1)

    def val_dataloader(self):
        return DataLoader(Chunks(), batch_size=None)
