import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        return self.layer(x).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        return DataLoader(TensorDataset(torch.ones(8, 4)), batch_size=2)

    def on_train_epoch_end(self):
        self.logger.experiment.add_histogram("weight", self.layer.weight, self.current_epoch)
        for logger in self.loggers:
            logger.log_metrics({"epoch": self.current_epoch})
        if self.trainer.is_global_zero:
            self.trainer.logger.save()
        logger = getattr(self, "logger", None)
        print(logger, getattr(self.trainer, "loggers", []), hasattr(self, "logger"))
