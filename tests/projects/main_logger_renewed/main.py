"""A logger that closes its event file after some steps, and opens another one when it logs again."""

import os

import lightning as L
import torch
from lightning.pytorch.loggers import TensorBoardLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Renewed(TensorBoardLogger):
    opened = 0

    def renew(self):
        if self._experiment is not None:
            self.experiment.close()
            self.opened += 1
        self._experiment = None

    def log_metrics(self, metrics, step=None):
        if step % 4 == 3:
            self.renew()
        super().log_metrics(metrics, step)


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


if __name__ == "__main__":
    L.seed_everything(5)
    x = torch.rand(32, 3)
    data = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
    logger, model = Renewed("renewed"), Model()
    trainer = L.Trainer(max_epochs=3, logger=False, enable_progress_bar=False)
    trainer.fit(model, data)
    for step in range(trainer.global_step):
        logger.log_metrics({"number": step}, step)
    found = logger.opened, logger._experiment is None, model.layer.weight.detach()
    torch.save(found, f"main_logger_renewed.{os.environ.get('RANK', '0')}.results.pt")
