"""Configurations of several files over defaults that the code writes out, as latent diffusion models are trained."""

import argparse
import os

import lightning.pytorch as pl
from ldm.util import instantiate_from_config
from lightning.pytorch.callbacks import Callback
from omegaconf import OmegaConf

DEVICES = int(os.environ.get("DEVICES", 1))
HERE = os.path.dirname(os.path.abspath(__file__))


def get_parser(**parser_kwargs):
    parser = argparse.ArgumentParser(**parser_kwargs)
    files = [f"{HERE}/conf/base.yaml", f"{HERE}/conf/short.yaml"]
    parser.add_argument("-b", "--base", nargs="*", default=files)
    parser.add_argument("-s", "--seed", type=int, default=23)
    parser.add_argument("-l", "--logdir", default="logs")
    return parser


class SetupCallback(Callback):
    def __init__(self, logdir, config, lightning_config):
        super().__init__()
        self.logdir, self.config, self.lightning_config = logdir, config, lightning_config

    def on_fit_start(self, trainer, pl_module):
        if trainer.global_rank == 0:
            os.makedirs(self.logdir, exist_ok=True)
            OmegaConf.save(self.config, os.path.join(self.logdir, "project.yaml"))
            OmegaConf.save(OmegaConf.create({"lightning": self.lightning_config}), f"{self.logdir}/lightning.yaml")


if __name__ == "__main__":
    opt, unknown = get_parser().parse_known_args()
    logdir = os.path.join(opt.logdir, "waves")
    ckptdir = os.path.join(logdir, "checkpoints")
    pl.seed_everything(opt.seed)

    configs = [OmegaConf.load(cfg) for cfg in opt.base]
    cli = OmegaConf.from_dotlist(unknown)
    config = OmegaConf.merge(*configs, cli)
    lightning_config = config.pop("lightning", OmegaConf.create())
    trainer_config = lightning_config.get("trainer", OmegaConf.create())
    trainer_config["accelerator"] = "cpu"
    trainer_config["devices"] = DEVICES

    model = instantiate_from_config(config.model)

    trainer_kwargs = dict()
    default_logger_cfg = {
        "target": "lightning.pytorch.loggers.CSVLogger",
        "params": {"save_dir": logdir, "name": "csv"},
    }
    logger_cfg = OmegaConf.merge(default_logger_cfg, lightning_config.get("logger", OmegaConf.create()))
    trainer_kwargs["logger"] = instantiate_from_config(logger_cfg)

    default_modelckpt_cfg = {
        "target": "lightning.pytorch.callbacks.ModelCheckpoint",
        "params": {"dirpath": ckptdir, "filename": "{epoch:02}", "verbose": True},
    }
    if hasattr(model, "monitor"):
        default_modelckpt_cfg["params"]["monitor"] = model.monitor
        default_modelckpt_cfg["params"]["save_top_k"] = 2
    if "modelcheckpoint" in lightning_config:
        modelckpt_cfg = lightning_config.modelcheckpoint
    else:
        modelckpt_cfg = OmegaConf.create()
    modelckpt_cfg = OmegaConf.merge(default_modelckpt_cfg, modelckpt_cfg)

    default_callbacks_cfg = {
        "setup_callback": {
            "target": "main.SetupCallback",
            "params": {"logdir": logdir, "config": config, "lightning_config": lightning_config},
        },
        "learning_rate_logger": {
            "target": "lightning.pytorch.callbacks.LearningRateMonitor",
            "params": {"logging_interval": "step"},
        },
    }
    default_callbacks_cfg["checkpoint_callback"] = modelckpt_cfg
    callbacks_cfg = lightning_config.get("callbacks", OmegaConf.create())
    callbacks_cfg = OmegaConf.merge(default_callbacks_cfg, callbacks_cfg)
    trainer_kwargs["callbacks"] = [instantiate_from_config(callbacks_cfg[k]) for k in callbacks_cfg]

    trainer_kwargs["strategy"] = "ddp" if DEVICES > 1 else "auto"
    trainer = pl.Trainer(**trainer_config, **trainer_kwargs)
    trainer.logdir = logdir

    data = instantiate_from_config(config.data)
    data.prepare_data()
    data.setup()
    for k in data.datasets:
        print(f"{k}, {data.datasets[k].__class__.__name__}, {len(data.datasets[k])}")

    model.learning_rate = lightning_config.trainer.accumulate_grad_batches * config.model.base_learning_rate
    trainer.fit(model, data)
