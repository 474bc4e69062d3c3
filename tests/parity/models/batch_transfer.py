import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Pairs:
    """A batch of the user's own class."""

    def __init__(self, rows):
        self.x = torch.stack([x for x, _ in rows])
        self.y = torch.stack([y for _, y in rows])
        self.moved = False

    def __len__(self):
        return len(self.x)


class AugmentsOnDevice(L.LightningModule):
    """Random augmentation after the transfer, while training alone; a transfer written by hand."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(18, 2))

    def on_before_batch_transfer(self, batch, dataloader_idx):
        batch.x = batch.x.unsqueeze(1)
        return batch

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        if isinstance(batch, Pairs):
            batch.x = batch.x.to(device)
            batch.y = batch.y.to(device)
            batch.moved = True
            return batch
        return super().transfer_batch_to_device(batch, device, dataloader_idx)

    def on_after_batch_transfer(self, batch, dataloader_idx):
        assert batch.moved
        if self.training:
            batch.x = batch.x + 0.3 * torch.randn_like(batch.x)
            flip = torch.rand(len(batch), 1, 1, device=self.device) < 0.5
            batch.x = torch.where(flip, batch.x.flip(-1), batch.x)
        return batch

    def training_step(self, batch, batch_idx):
        loss = nn.functional.cross_entropy(self.net(batch.x), batch.y)
        self.log("loss", loss, on_step=True, on_epoch=True, batch_size=len(batch))
        return loss

    def validation_step(self, batch, batch_idx):
        loss = nn.functional.cross_entropy(self.net(batch.x), batch.y)
        self.log("val_loss", loss, batch_size=len(batch), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.02)

    def loader(self, n, **options):
        x = torch.randn(n, 8, generator=torch.Generator().manual_seed(n))
        return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=6, collate_fn=Pairs, **options)

    def train_dataloader(self):
        return self.loader(36, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return self.loader(15)
