import lightning as L
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    """Numbers without a length, dealt out among the ranks and the workers by the dataset itself."""

    def __init__(self, n: int, seed: int):
        self.n, self.seed = n, seed

    def __iter__(self):
        rank, world = (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)
        worker = torch.utils.data.get_worker_info()
        if worker is not None:
            rank, world = rank * worker.num_workers + worker.id, world * worker.num_workers
        g = torch.Generator().manual_seed(self.seed)
        for index, x in enumerate(torch.randn(self.n, 3, generator=g)):
            if index % world == rank:
                yield x, x.sum().tanh()


class OnStreams(L.LightningModule):
    def __init__(self, hidden: int = 8):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(3, hidden), nn.SiLU(), nn.Dropout(0.1), nn.Linear(hidden, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x).squeeze(-1), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", nn.functional.mse_loss(self.net(x).squeeze(-1), y), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.05)
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.3, threshold=0.3)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": plateau, "monitor": "val_loss"}}


class StreamData(L.LightningDataModule):
    def __init__(self, workers: int = 0):
        super().__init__()
        self.workers = workers

    def train_dataloader(self):
        return DataLoader(Stream(44, 0), batch_size=4, num_workers=self.workers)

    def val_dataloader(self):
        # every rank gets two batches of four: D2 (floored weights under sync_dist) makes no difference
        return DataLoader(Stream(16, 100), batch_size=4)
