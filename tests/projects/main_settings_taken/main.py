"""A Trainer's settings from a part of a configuration that names its class and its callbacks, which code takes out."""

import os

import hydra
import lightning as L
import torch
from callbacks import Noting
from hydra.utils import instantiate
from omegaconf import OmegaConf
from torch.utils.data import DataLoader, TensorDataset

RANK = os.environ.get("RANK", "0")


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("loss", loss, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self):
        points = torch.arange(48.0).reshape(-1, 4).sin()
        return DataLoader(TensorDataset(points), batch_size=3)


def make_trainer(config):
    callbacks = [Noting("beside")]
    for _, one in config.callbacks.items():
        callbacks.append(instantiate(one))
    settings = OmegaConf.to_container(config, resolve=True)
    settings.pop("callbacks", None)
    settings.pop("_target_", None)
    return L.Trainer(callbacks=callbacks, **settings)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    L.seed_everything(cfg.seed)
    model, trainer = Net(), make_trainer(cfg.trainer)
    trainer.fit(model)
    torch.save([Noting.told, model.state_dict()], f"main_settings_taken.{RANK}.results.pt")


if __name__ == "__main__":
    main()
