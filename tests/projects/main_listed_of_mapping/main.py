"""What hydra makes of a mapping: settings with objects in them, of which the code lists the callbacks."""

import os

import hydra
import lightning as L
import torch
from callbacks import Noting
from hydra.utils import instantiate
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


def listed(config):
    params = instantiate(config)
    params["callbacks"] = list(params["callbacks"].values())
    return L.Trainer(**params)


def told(config):
    return L.Trainer(callbacks=[*instantiate(config.callbacks).values()], max_epochs=2, logger=False)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    L.seed_everything(cfg.seed)
    states = []
    for trainer in (listed(cfg.trainer), told(cfg.trainer)):
        model = Net()
        trainer.fit(model)
        states.append(model.state_dict())
    torch.save([Noting.told, states], f"main_listed_of_mapping.{RANK}.results.pt")


if __name__ == "__main__":
    main()
