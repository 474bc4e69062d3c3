"""Parts of a configuration, or objects in their place, of which a function checks that they are of a class."""

import os
from collections.abc import Mapping

import hydra
import lightning.pytorch as pl
import torch
from hydra.utils import instantiate
from parts import Data, Net, Noted


def maybe_instantiate(given, expected=None, **kwargs):
    made = instantiate(given, **kwargs) if isinstance(given, Mapping) and "_target_" in given else given
    assert expected is None or isinstance(made, expected), f"{expected} is wanted, not {type(made)}"
    return made


def is_there(value, kind):
    return kind is not None and isinstance(value, kind)


@hydra.main(config_path="conf", config_name="train", version_base=None)
def main(config):
    pl.seed_everything(config.seed)
    trainer = maybe_instantiate(config.trainer, pl.Trainer)
    noted = Noted()
    trainer.callbacks.append(noted)
    data = maybe_instantiate(Data(), expected=pl.LightningDataModule)
    model = maybe_instantiate(config.model, pl.LightningModule)
    noted.seen += [is_there(each, pl.LightningDataModule) for each in (trainer, data, model)]
    noted.seen += [is_there(each, pl.LightningModule) for each in (trainer, data, model)]
    noted.seen += [is_there(each, pl.Trainer) for each in (trainer, data, model)]
    trainer.fit(model, datamodule=data)
    torch.save(noted.seen, f"main_expected.{os.environ.get('RANK', '0')}.results.pt")


if __name__ == "__main__":
    main()
