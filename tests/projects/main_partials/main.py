"""Parts of a configuration of hydra's that are called later, with more: once for each fold."""

import hydra
import lightning as L
from hydra.utils import instantiate
from omegaconf import DictConfig
from settings import register

register()


def make_callbacks(cfg: DictConfig, fold: int) -> list[L.Callback]:
    callbacks = []
    for name, config in cfg.callbacks.items():
        callback = instantiate(config)
        if name == "early_stopping":
            callback = callback(monitor=f"loss_{fold}")
        callbacks.append(callback)
    return callbacks


def train(model, data, make_trainer, callbacks) -> None:
    trainer = make_trainer(logger=False, callbacks=callbacks)
    trainer.fit(model, datamodule=data)


@hydra.main(version_base=None, config_path="conf", config_name="train.yaml")
def main(cfg: DictConfig) -> None:
    L.seed_everything(cfg.seed, workers=True)
    if cfg.folds > 5:
        cfg.model.activation._target_ = "torch.nn.Tanh"
    else:
        cfg.model["activation"]["_target_"] = "torch.nn.GELU"
    make_data = hydra.utils.instantiate(cfg.data)
    make_model = hydra.utils.instantiate(cfg.model, _partial_=True)
    make_trainer = hydra.utils.instantiate(cfg.trainer, _convert_="partial")
    for fold in range(cfg.get("folds", 2)):
        data = make_data(fold=fold)
        train(make_model(fold=fold), data, make_trainer, make_callbacks(cfg, fold))


if __name__ == "__main__":
    main()
