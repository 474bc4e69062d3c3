"""What a configuration names: a module with a capital, a network, a preprocessor, a group within the callbacks."""

import fitting
import lightning as L
import torch
from fitting import Wrapped
from settings import hydra, instantiate


def make_callbacks(configs):
    made = []
    for _, config in configs.items():
        if "_target_" in config:
            made.append(instantiate(config))
    return made


def wrapped(cfg):
    net = instantiate(cfg.net)
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
    made = make_callbacks(cfg.callbacks)
    callbacks.extend(made if isinstance(made, list) else [made])
    trainer = instantiate(cfg.trainer, callbacks=callbacks)
    trainer.fit(model, datamodule=data)
    data = instantiate(cfg.data, size=6)
    data.setup("all")
    trainer = instantiate(cfg.trainer)
    results = trainer.validate(model, dataloaders=[data.val_dataloader()])
    if trainer.is_global_zero:
        torch.save(results, "main_instantiated.0.results.pt")


if __name__ == "__main__":
    main()
