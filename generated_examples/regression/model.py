"""How far diabetes has gone a year on, from ten measurements: a stream of patients."""

import lightning as L
import torch
import torch.distributed as dist
import torch.nn.functional as F
from sklearn.datasets import load_diabetes
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from torchmetrics import MeanAbsoluteError

# The target's mean and standard deviation over all patients.
MEAN, SCALE = 152.0, 77.0


class Patients(IterableDataset):
    """A stream without a length, of which every worker of every rank reads its own share."""

    def __init__(self, features: torch.Tensor, targets: torch.Tensor):
        self.features, self.targets = features, targets
        # Asked here, since a worker that was not forked knows nothing of the process group.
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        self.world_size = dist.get_world_size() if dist.is_initialized() else 1

    def __iter__(self):
        worker = get_worker_info()
        workers, worker_id = (worker.num_workers, worker.id) if worker else (1, 0)
        readers = self.world_size * workers
        # Shares of one size: a rank with a batch more would wait for the others in vain.
        share = len(self.targets) // readers
        for row in range(share):
            index = row * readers + self.rank * workers + worker_id
            yield self.features[index], self.targets[index]


class DiabetesRegressor(L.LightningModule):
    """A small network, whose learning rate falls when validation no longer gets better."""

    def __init__(
        self,
        hidden: int = 32,
        lr: float = 5e-3,
        patience: int = 2,
        batch_size: int = 16,
        num_workers: int = 1,
    ):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(10, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )
        self.val_mae = MeanAbsoluteError()

    def forward(self, features):
        return self.net(features).squeeze(1)

    def training_step(self, batch, batch_idx):
        features, targets = batch
        loss = F.mse_loss(self(features), targets)
        self.log("train_loss", loss, on_step=False, on_epoch=True, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        features, targets = batch
        predicted = self(features)
        self.val_mae(predicted * SCALE, targets * SCALE)
        self.log("val_mae", self.val_mae, on_epoch=True, prog_bar=True)
        self.log("val_loss", F.mse_loss(predicted, targets), sync_dist=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(
            self.parameters(), lr=self.hparams.lr, momentum=0.9, weight_decay=1e-3
        )
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, factor=0.5, patience=self.hparams.patience
        )
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": scheduler, "monitor": "val_loss"},
        }

    def setup(self, stage):
        features, targets = load_diabetes(return_X_y=True)
        features = torch.tensor(features, dtype=torch.float32)
        features = features / features.std(dim=0)
        targets = (torch.tensor(targets, dtype=torch.float32) - MEAN) / SCALE
        order = torch.randperm(len(targets), generator=torch.Generator().manual_seed(0))
        self.features, self.targets = features[order], targets[order]

    def train_dataloader(self):
        return DataLoader(
            Patients(self.features[:352], self.targets[:352]),
            batch_size=self.hparams.batch_size,
            num_workers=self.hparams.num_workers,
        )

    def val_dataloader(self):
        return DataLoader(
            Patients(self.features[352:], self.targets[352:]), batch_size=45
        )
