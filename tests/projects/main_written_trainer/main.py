"""A mapping that the code writes out, round settings that pydantic has checked, of which hydra makes the Trainer."""

import os

import hydra
import lightning as L
import torch
from hydra.utils import instantiate
from lightning.pytorch.callbacks import ModelCheckpoint
from omegaconf import OmegaConf
from torch.utils.data import DataLoader, TensorDataset
from typed import Settings

RANK = os.environ.get("RANK", "0")


class Noting(L.Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        pl_module.told.append(float(trainer.callback_metrics["loss"]))


class Net(L.LightningModule):
    def __init__(self, lr):
        super().__init__()
        self.lr = lr
        self.told = []
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


class Data(L.LightningDataModule):
    def __init__(self, batch_size):
        super().__init__()
        self.batch_size = batch_size

    def train_dataloader(self):
        points = torch.arange(48.0).reshape(-1, 4).sin()
        return DataLoader(TensorDataset(points), batch_size=self.batch_size)


def make_trainer(cfg):
    callbacks = [Noting(), ModelCheckpoint(dirpath="kept", monitor="loss", save_last=True)]
    return instantiate({**cfg.trainer, "callbacks": callbacks, "logger": False})


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(config):
    cfg = Settings(**OmegaConf.to_object(config))
    L.seed_everything(cfg.seed)
    model, data = instantiate(cfg.model), instantiate(cfg.data)
    trainer = make_trainer(cfg)
    trainer.fit(model, data)
    torch.save([model.told, model.state_dict()], f"main_written_trainer.{RANK}.results.pt")


if __name__ == "__main__":
    main()
