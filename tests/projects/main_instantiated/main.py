"""What a configuration names: a module with a capital, a network, a preprocessor, a group within the callbacks."""

import fitting
import lightning as L
import torch
from fitting import Wrapped
from omegaconf import OmegaConf
from settings import hydra, instantiate


def made(config, **more):
    config = OmegaConf.to_container(config, resolve=True)
    config.pop("name", None)
    return instantiate(OmegaConf.create(config), **more)


def make_callbacks(configs):
    found = []
    for _, config in configs.items():
        if "_target_" in config:
            found.append(made(config))
    if "targets" in configs:
        found.extend(make_parts(configs.targets))
    return found


def make_parts(configs):
    return [instantiate(config) for _, config in configs.items() if "_target_" in config]


def wrapped(cfg):
    net = made(cfg.net)
    if cfg.get("frozen"):
        fitting.freeze(net)
    if isinstance(net, L.LightningModule):
        return net
    return Wrapped(net)


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def main(cfg):
    L.seed_everything(cfg.seed)
    scale = instantiate(cfg.scale)
    scale.fit([1.0, 2.0, 4.5])
    first = wrapped(cfg)
    assert isinstance(first, Wrapped)
    model = instantiate(cfg.model, scale=scale.mean)
    if not isinstance(model, L.LightningModule):
        model = Wrapped(model)
    data = instantiate(cfg.data)
    callbacks = []
    more = make_callbacks(cfg.get("callbacks"))
    callbacks.extend(more if isinstance(more, list) else [more])
    settings = dict(cfg.trainer)
    settings["callbacks"] = callbacks
    trainer = instantiate(settings)
    if isinstance(data, L.LightningDataModule):
        trainer.fit(model, datamodule=data)
    else:
        trainer.fit(model, data.train_dataloader())
    data = instantiate({**cfg.data, "size": 6})
    data.setup("all")
    trainer = instantiate(cfg.trainer.copy())
    results = trainer.validate(model, dataloaders=[data.val_dataloader()])
    results += [isinstance(each, L.LightningDataModule) for each in (data, model, scale, None)]
    if trainer.is_global_zero:
        torch.save(results, "main_instantiated.0.results.pt")


if __name__ == "__main__":
    main()
