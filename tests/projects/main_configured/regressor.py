import torch
from lightning import LightningDataModule, LightningModule
from torch.utils.data import DataLoader, TensorDataset


class Regressor(LightningModule):
    def __init__(self, net, optimizer, scheduler=None, scale: float = 1.0):
        super().__init__()
        self.save_hyperparameters(logger=False, ignore=["net"])
        self.net = net

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = (self.net(x) * self.hparams.scale - y).square().mean()
        self.log("train/loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val/loss", (self.net(x) * self.hparams.scale - y).square().mean(), sync_dist=True)

    def configure_optimizers(self):
        optimizer = self.hparams.optimizer(params=self.trainer.model.parameters())
        if self.hparams.scheduler is None:
            return {"optimizer": optimizer}
        scheduler = self.hparams.scheduler(optimizer=optimizer)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "monitor": "val/loss"}}


class Points(LightningDataModule):
    def __init__(self, batch_size: int = 8):
        super().__init__()
        self.save_hyperparameters(logger=False)

    def setup(self, stage=None):
        x = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
        self.points = TensorDataset(x, x.sum(1, keepdim=True))

    def train_dataloader(self):
        return DataLoader(self.points, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.points, self.hparams.batch_size)
