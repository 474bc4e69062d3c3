"""Classes by the names of their modules and their own, as a file says them."""

import argparse
import importlib
from pathlib import Path

import lightning as L
import yaml
from nets.making import bounded_by, callback_of

FOLDER = Path(__file__).parent / "conf"


def main(args):
    with open(args.config) as file:
        cfg = yaml.safe_load(file)
    L.seed_everything(cfg["seed"])
    model = getattr(importlib.import_module(cfg["model"]["module"]), cfg["model"]["class"])(**cfg["model"]["args"])
    data_module = importlib.import_module(f"nets.{cfg['data']['file']}")
    data = getattr(data_module, cfg["data"]["name"])(**cfg["data"]["options"])
    limits = cfg["limits"]
    Clamped, bounds = bounded_by(limits.get("name", "bounded"))
    clamped = importlib.import_module(f"nets.{limits['family']}.clamping").Clamped(limits["least"])
    callbacks = [Clamped(**bounds), clamped, *(callback_of(each) for each in cfg["callbacks"])]
    trainer = L.Trainer(callbacks=callbacks, **cfg["trainer"])
    trainer.fit(model, datamodule=data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default=FOLDER / "line.yaml")
    main(parser.parse_args())
