import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric

STAGES = ("first", "second")


class NamesBuilt(lightning.LightningModule):
    """Names that code puts together, logged for a batch and between batches: the later value counts (9.2)."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)
        self.means = nn.ModuleDict({name: MeanMetric() for name in STAGES})

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.log_dict({f"train_{name}": loss * i for i, name in enumerate(STAGES)}, on_step=False, on_epoch=True)
        return loss

    def on_train_epoch_end(self):
        self.log("train_second", 3.0)

    def validation_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        for name, mean in self.means.items():
            mean.update(loss)
            self.log("val_" + name, mean)
        self.log_dict({name: loss for name in STAGES}, sync_dist=True)

    def on_validation_epoch_end(self):
        for name in STAGES[1:]:
            self.log(f"val_{name}", 2 * self.means[name].compute())
        self.log_dict({name: i for i, name in enumerate(STAGES[:1])})

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, threshold=0.9)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "first"}}

    def loader(self, n):
        x = torch.randn(n, 3, generator=torch.Generator().manual_seed(n))
        return DataLoader(TensorDataset(x, x[:, :1]), batch_size=5)

    def train_dataloader(self):
        return self.loader(24)

    def val_dataloader(self):
        return self.loader(12)
