import hydra
import lightning as L
from lightning import LightningDataModule, LightningModule, Trainer


def main(cfg):
    L.seed_everything(cfg.seed, workers=True)
    datamodule: LightningDataModule = hydra.utils.instantiate(cfg.data)
    model: LightningModule = hydra.utils.instantiate(cfg.model)
    trainer: Trainer = hydra.utils.instantiate(cfg.trainer, callbacks=[])
    trainer.fit(model=model, datamodule=datamodule)
    trainer.fit(hydra.utils.instantiate(cfg.other))


if __name__ == "__main__":
    main(hydra.compose("config"))
