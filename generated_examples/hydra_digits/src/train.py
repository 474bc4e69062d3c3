"""Train as the configuration says: `python src/train.py experiment=wide trainer.max_epochs=5`."""

import os
import sys
from pathlib import Path
from typing import Any

import hydra
import lightning as L
from lightning import Callback, LightningDataModule, LightningModule, Trainer
from lightning.pytorch.loggers import Logger
from omegaconf import DictConfig

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("PROJECT_ROOT", str(ROOT))
sys.path.insert(0, str(ROOT))

from src.utils import (  # noqa: E402
    RankedLogger,
    extras,
    get_metric_value,
    instantiate_callbacks,
    instantiate_loggers,
    log_hyperparameters,
    task_wrapper,
)

log = RankedLogger(__name__, rank_zero_only=True)


@task_wrapper
def train(cfg: DictConfig) -> tuple[dict[str, Any], dict[str, Any]]:
    """Trains, and tests the best weights; returns the metrics, and all objects by their names."""
    if cfg.get("seed"):
        L.seed_everything(cfg.seed, workers=True)

    log.info(f"Data <{cfg.data._target_}>")
    datamodule: LightningDataModule = hydra.utils.instantiate(cfg.data)

    log.info(f"Model <{cfg.model._target_}>")
    model: LightningModule = hydra.utils.instantiate(cfg.model)

    callbacks: list[Callback] = instantiate_callbacks(cfg.get("callbacks"))
    logger: list[Logger] = instantiate_loggers(cfg.get("logger"))

    log.info(f"Trainer <{cfg.trainer._target_}>")
    trainer: Trainer = hydra.utils.instantiate(
        cfg.trainer, callbacks=callbacks, logger=logger
    )

    object_dict = {
        "cfg": cfg,
        "datamodule": datamodule,
        "model": model,
        "callbacks": callbacks,
        "logger": logger,
        "trainer": trainer,
    }

    if logger:
        log.info("Logging hyperparameters.")
        log_hyperparameters(object_dict)

    if cfg.get("train"):
        log.info("Training.")
        trainer.fit(model=model, datamodule=datamodule, ckpt_path=cfg.get("ckpt_path"))

    train_metrics = trainer.callback_metrics

    if cfg.get("test"):
        log.info("Testing.")
        ckpt_path = trainer.checkpoint_callback.best_model_path
        if ckpt_path == "":
            log.warning("No checkpoint was kept: the weights are tested as they are.")
            ckpt_path = None
        trainer.test(
            model=model, datamodule=datamodule, ckpt_path=ckpt_path, weights_only=False
        )
        log.info(f"Best checkpoint: {ckpt_path}")

    test_metrics = trainer.callback_metrics
    metric_dict = {**train_metrics, **test_metrics}
    return metric_dict, object_dict


@hydra.main(version_base="1.3", config_path="../configs", config_name="train.yaml")
def main(cfg: DictConfig) -> float | None:
    extras(cfg)
    metric_dict, _ = train(cfg)
    return get_metric_value(
        metric_dict=metric_dict, metric_name=cfg.get("optimized_metric")
    )


if __name__ == "__main__":
    main()
