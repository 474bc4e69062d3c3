"""A configuration file over defaults that name the classes, whose settings it gives alone."""

import argparse
import os
from pathlib import Path

import lightning as L
from making import instantiate_from_config
from model import loader
from omegaconf import OmegaConf

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", default=str(Path(os.path.dirname(__file__)) / "conf" / "regression.yaml"))
    parser.add_argument("--name", default="regression")
    opt = parser.parse_args()
    print(sorted(vars(opt)))
    config = OmegaConf.load(opt.base)
    lightning_config = config.pop("lightning", OmegaConf.create())
    L.seed_everything(23)
    model = instantiate_from_config(config.model)

    default_callbacks_cfg = {
        "counting": {"target": "counting.Counting", "params": {"every": 100, "weight": 3}},
    }
    default_modelckpt_cfg = {
        "target": "lightning.pytorch.callbacks.ModelCheckpoint",
        "params": {"dirpath": "checkpoints", "filename": "{epoch}-{step}", "save_top_k": -1},
    }
    if "modelcheckpoint" in lightning_config:
        modelckpt_cfg = lightning_config.modelcheckpoint
    else:
        modelckpt_cfg = OmegaConf.create()
    modelckpt_cfg = OmegaConf.merge(default_modelckpt_cfg, modelckpt_cfg)
    default_callbacks_cfg.update({"checkpoint_callback": modelckpt_cfg})
    if "callbacks" in lightning_config:
        callbacks_cfg = lightning_config.callbacks
    else:
        callbacks_cfg = OmegaConf.create()
    callbacks_cfg = OmegaConf.merge(default_callbacks_cfg, callbacks_cfg)
    trainer_kwargs = {"callbacks": [instantiate_from_config(callbacks_cfg[k]) for k in callbacks_cfg]}
    trainer = L.Trainer(**lightning_config.trainer, **trainer_kwargs)
    trainer.fit(model, loader())
    print(sorted(each.name for each in Path("checkpoints").iterdir()))
