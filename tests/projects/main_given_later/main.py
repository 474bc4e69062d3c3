"""A Trainer of a configuration, half made, whose callbacks are a mapping there and a list where it is called."""

import hydra
import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader


class Damped(pl.Callback):
    def __init__(self, by):
        self.by = by

    def on_train_epoch_end(self, trainer, pl_module):
        for group in trainer.optimizers[0].param_groups:
            group["lr"] *= self.by


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    pl.seed_everything(2)
    given = {"callbacks": [hydra.utils.instantiate(each) for each in cfg.callbacks.values()]}
    given.update({"profiler": None})
    trainer = hydra.utils.instantiate(cfg.trainer)(**given)
    trainer.fit(Net(), DataLoader(torch.randn(16, 4), batch_size=2))


if __name__ == "__main__":
    main()
