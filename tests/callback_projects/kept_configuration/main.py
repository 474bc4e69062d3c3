"""OmegaConf's configurations as hyperparameters: the very objects, which change on both sides."""

import os

import lightning as L
import torch
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
from omegaconf import DictConfig, OmegaConf
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICES = int(os.environ.get("DEVICES", 1))


class Net(L.LightningModule):
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(width, 1)

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch[0]).square().mean()
        self.log("rate", float(self.hparams.get("rate", 0.0)))
        self.log("half", float(self.hparams_initial.get("half", 0.0)))
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.rate)


class Configured(Net):
    def __init__(self, cfg: DictConfig) -> None:
        super().__init__(cfg.width)
        self.save_hyperparameters(cfg)
        assert OmegaConf.is_config(self.hparams) and self.hparams is cfg


class SavesMore(Net):
    """What is saved after a configuration takes its place."""

    def __init__(self, cfg: DictConfig, rate: float = 0.3) -> None:
        super().__init__(cfg.width)
        self.save_hyperparameters(cfg)
        self.save_hyperparameters("rate")
        assert sorted(self.hparams) == ["rate"] and "rate" in cfg


class SavesNone(SavesMore):
    """Without entries there is nothing to save."""

    def __init__(self, cfg: DictConfig) -> None:
        super().__init__(cfg)
        self.save_hyperparameters(OmegaConf.create({}))
        assert sorted(self.hparams) == ["rate"] and not OmegaConf.is_config(self.hparams)


class Data(L.LightningDataModule):
    def __init__(self, cfg: DictConfig) -> None:
        super().__init__()
        self.save_hyperparameters(cfg)

    def train_dataloader(self):
        assert self.hparams_initial.batch == 6
        samples = torch.arange(96.0).reshape(24, 4) / 96
        return DataLoader(TensorDataset(samples), batch_size=self.hparams.batch)


def main() -> None:
    L.seed_everything(3)
    for kind in (Configured, SavesMore, SavesNone):
        cfg = OmegaConf.create({"width": 4, "rate": 0.1, "half": "${rate}", "sizes": {"first": "${width}"}})
        of_data = OmegaConf.create({"batch": 6, "twice": "${batch}"})
        model, data = kind(cfg), Data(of_data)
        cfg.rate = 0.2
        data.hparams.batch = 4
        assert of_data.twice == 4
        trainer = L.Trainer(
            max_epochs=1,
            accelerator="cpu",
            devices=DEVICES,
            strategy="ddp" if DEVICES > 1 else "auto",
            logger=[CSVLogger("logs", name=kind.__name__), TensorBoardLogger("logs", name=f"{kind.__name__}_events")],
            log_every_n_steps=1,
            enable_checkpointing=False,
            enable_progress_bar=False,
        )
        trainer.fit(model, data)


if __name__ == "__main__":
    main()
