import lightning as L
import torch
import torchmetrics
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score


class WithMetrics(L.LightningModule):
    """torchmetrics in each of the ways in which people log them."""

    def __init__(self, classes: int = 3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, classes))
        self.train_acc = MulticlassAccuracy(num_classes=classes, average="micro")
        self.val_acc = torchmetrics.Accuracy(task="multiclass", num_classes=classes)
        self.best_acc = torchmetrics.MaxMetric()
        self.val_loss = MeanMetric()
        metrics = MetricCollection({"f1": MulticlassF1Score(classes), "acc": MulticlassAccuracy(classes)})
        self.val_metrics = metrics.clone(prefix="val/")
        self.train_metrics = metrics.clone(prefix="train/")

    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self.net(x)
        loss = nn.functional.cross_entropy(logits, y)
        self.log("loss", loss)
        self.train_acc(logits, y)
        self.log("train_acc", self.train_acc, on_step=True, on_epoch=True)
        self.log_dict(self.train_metrics(logits, y))
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self.net(x)
        self.val_loss.update(nn.functional.cross_entropy(logits, y, reduction="none"))
        self.val_acc(logits, y)
        self.val_metrics.update(logits, y)
        self.log("val_acc", self.val_acc, on_step=False, on_epoch=True, metric_attribute="val_acc")

    def on_validation_epoch_end(self):
        self.log("val_loss", self.val_loss.compute(), prog_bar=True)
        self.val_loss.reset()
        self.best_acc(self.val_metrics.compute()["val/acc"])
        self.log("best_acc", self.best_acc.compute())
        self.log_dict(self.val_metrics.compute(), sync_dist=True)
        self.val_metrics.reset()

    def on_train_epoch_end(self):
        self.log_dict({f"{k}_epoch": v for k, v in self.train_metrics.compute().items()})
        self.train_metrics.reset()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.03)


class Blobs(L.LightningDataModule):
    def setup(self, stage: str):
        g = torch.Generator().manual_seed(17)
        y = torch.randint(0, 3, (72,), generator=g)
        x = torch.randn(72, 5, generator=g) + y[:, None]
        self.train, self.val = TensorDataset(x[:48], y[:48]), TensorDataset(x[48:], y[48:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=8)
