"""Data without a length, and a configuration that says how often to validate, and who makes the callbacks."""

import hydra
import lightning as L
import torch
from hydra.utils import instantiate
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        generator = torch.Generator().manual_seed(1)
        for _ in range(60):
            yield torch.randn(3, generator=generator)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def training_step(self, batch, batch_idx):
        return (self.layer(batch) - 1).square().mean()

    def validation_step(self, batch, batch_idx):
        self.log("val_loss", self.layer(batch).mean(), sync_dist=True)

    def on_validation_epoch_end(self):
        if self.trainer.sanity_checking:
            return
        for group in self.optimizers().param_groups:
            group["lr"] *= 0.7

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@hydra.main(version_base=None, config_path="conf", config_name="train")
def main(cfg):
    L.seed_everything(cfg.seed)
    agent = instantiate(cfg.agent)
    trainer = instantiate(cfg.trainer, callbacks=agent.get_training_callbacks())
    trainer.fit(Net(), DataLoader(Stream(), 4), DataLoader(Stream(), 4))


if __name__ == "__main__":
    main()
