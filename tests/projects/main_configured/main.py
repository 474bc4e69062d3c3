"""A configuration of hydra's, known when building: `instantiate` makes the script's own classes."""

import hydra
import lightning as L
from hydra.utils import instantiate
from making import make_callbacks
from omegaconf import DictConfig, OmegaConf


def evaluated(code):
    return eval(code)


OmegaConf.register_new_resolver("py", evaluated, replace=True)


@hydra.main(version_base="1.3", config_path="conf", config_name="train.yaml")
def main(cfg: DictConfig) -> None:
    L.seed_everything(cfg.seed, workers=True)
    data = hydra.utils.instantiate(cfg.data)
    model = hydra.utils.instantiate(cfg.model)
    trainer = instantiate(cfg.trainer, callbacks=make_callbacks(cfg.get("callbacks")), logger=False)
    trainer.fit(model=model, datamodule=data, ckpt_path=cfg.get("ckpt_path"))


if __name__ == "__main__":
    main()
