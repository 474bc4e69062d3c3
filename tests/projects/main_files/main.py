"""Settings from files: the model and the data are made of what YAML says, the Trainer of what JSON says."""

import argparse
import os
from pathlib import Path

import lightning as L
from hydra.utils import instantiate
from omegaconf import OmegaConf
from settings import read_settings

HERE = Path(__file__).resolve().parent


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=str, default=str(HERE / "conf" / "train.yaml"))
    parser.add_argument("--loop", default=os.path.join(os.path.dirname(__file__), "conf", "loop.json"))
    return parser.parse_args()


def main(args: argparse.Namespace) -> None:
    base = OmegaConf.load(HERE.joinpath("conf", "base.yaml"))
    cfg = OmegaConf.merge(base, OmegaConf.load(args.config), OmegaConf.from_cli([]))
    loop = read_settings(args.loop)
    L.seed_everything(cfg.seed)
    callbacks = [instantiate(each) for each in cfg.callbacks]
    trainer = L.Trainer(**loop["trainer"], callbacks=callbacks)
    trainer.fit(instantiate(cfg.model), datamodule=instantiate(cfg.data))


if __name__ == "__main__":
    main(parse())
