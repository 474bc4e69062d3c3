import lightning as L
import torch
import torchmetrics as tm
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Criterion(nn.CrossEntropyLoss):
    """A loss whose weights belong to the model's state."""

    def __init__(self, counts, label_smoothing=0.0):
        counts = torch.as_tensor(counts, dtype=torch.float)
        super().__init__(weight=counts.sum() / (len(counts) * counts), label_smoothing=label_smoothing)


def build_optimizer(name, params, **options):
    return getattr(optim, name)(params, **options)


class Smoothed(L.LightningModule):
    """The loss is handed in; metrics stand in a dict by stage, and are asked for by name."""

    def __init__(self, criterion=None, optimizer="AdamW", optimizer_options=None, num_classes: int = 3):
        super().__init__()
        self.save_hyperparameters(ignore="criterion")
        self.net = nn.Sequential(nn.Linear(4, 10), nn.LeakyReLU(), nn.Linear(10, num_classes))
        self.criterion = criterion if criterion is not None else Criterion([10, 20, 30], label_smoothing=0.1)
        metrics = tm.MetricCollection(
            {
                "acc": tm.classification.MulticlassAccuracy(num_classes, average="macro"),
                "f1": tm.classification.MulticlassF1Score(num_classes),
            }
        )
        self.metrics = nn.ModuleDict({f"{stage}_metrics": metrics.clone(prefix=f"{stage}/") for stage in ("train", "val")})

    def step(self, batch, stage):
        x, y = batch
        logits = self.net(x)
        loss = self.criterion(logits, y)
        metrics = self.metrics[f"{stage}_metrics"]
        metrics.update(logits, y)
        self.log(f"{stage}/loss", loss, on_step=False, on_epoch=True)
        self.log_dict(metrics, on_step=False, on_epoch=True)
        return loss

    def training_step(self, batch, _):
        return self.step(batch, "train")

    def validation_step(self, batch, _):
        return self.step(batch, "val")

    def configure_optimizers(self):
        options = {"lr": 0.01, **(self.hparams.optimizer_options or {})}
        return build_optimizer(self.hparams.optimizer, self.parameters(), **options)

    def _data(self, n):
        x = torch.randn(n, 4, generator=torch.Generator().manual_seed(n))
        return TensorDataset(x, x[:, :3].argmax(1))

    def train_dataloader(self):
        return DataLoader(self._data(40), 8, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self._data(15), 8)
