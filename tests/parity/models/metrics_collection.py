import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import Metric, MetricCollection
from torchmetrics.regression import MeanAbsoluteError, MeanSquaredError


class SignAgreement(Metric):
    """A metric of the user's own."""

    def __init__(self):
        super().__init__()
        self.add_state("agreed", default=torch.tensor(0), dist_reduce_fx="sum")
        self.add_state("total", default=torch.tensor(0), dist_reduce_fx="sum")

    def update(self, prediction, target):
        self.agreed += (prediction.sign() == target.sign()).sum()
        self.total += target.numel()

    def compute(self):
        return self.agreed / self.total


class CollectionLogged(L.LightningModule):
    """A collection given to log_dict as an object, and metric objects in a ModuleDict found by name."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 1)
        self.metrics = nn.ModuleDict(
            {
                f"{stage}_metrics": MetricCollection(
                    [MeanAbsoluteError(), MeanSquaredError()], prefix=f"{stage}_"
                )
                for stage in ("train", "val")
            }
        )
        self.agreement = SignAgreement()

    def step(self, batch, stage):
        x, y = batch
        prediction = self.net(x)
        collection = self.metrics[f"{stage}_metrics"]
        collection(prediction, y)
        self.log_dict(collection, on_step=stage == "train", on_epoch=True)
        return nn.functional.mse_loss(prediction, y), prediction

    def training_step(self, batch, batch_idx):
        loss, _ = self.step(batch, "train")
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        _, prediction = self.step(batch, "val")
        self.agreement(prediction, batch[1])
        self.log("agreement", self.agreement, on_step=True, on_epoch=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.3)
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, mode="max", patience=0, threshold=0.05
        )
        return {"optimizer": optimizer, "lr_scheduler": plateau, "monitor": "agreement"}

    def dataset(self, n, seed):
        x = torch.randn(n, 4, generator=torch.Generator().manual_seed(seed))
        return TensorDataset(x, x.sum(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(self.dataset(32, 0), batch_size=4)

    def val_dataloader(self):
        return DataLoader(self.dataset(16, 1), batch_size=4)
