"""Objects made by the targets of a configuration file, without hydra."""

import argparse
import os
from pathlib import Path

import lightning as L
from making import instantiate_from_config
from omegaconf import OmegaConf


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    default = Path(os.path.dirname(__file__)) / "conf" / "autoencoder.yaml"
    parser.add_argument("--base", default=str(default))
    return parser.parse_args()


def settings(config):
    return OmegaConf.to_container(config, resolve=True) if config is not None else {}


if __name__ == "__main__":
    config = OmegaConf.merge(OmegaConf.load(parse().base), OmegaConf.from_cli([]))
    lightning_config = config.pop("lightning", OmegaConf.create())
    L.seed_everything(23)
    model = instantiate_from_config(config.model)
    data = instantiate_from_config(config.data)
    print(settings(config.data))
    callbacks_cfg = lightning_config.get("callbacks", OmegaConf.create())
    callbacks = [instantiate_from_config(callbacks_cfg[name]) for name in callbacks_cfg]
    trainer = L.Trainer(**settings(lightning_config.trainer), callbacks=callbacks)
    trainer.fit(model, data)
