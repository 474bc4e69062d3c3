"""A project under a LightningCLI of its own: `python main.py fit --config ddp.yaml`, over defaults.yaml."""

import datetime
import os

from lightning.pytorch.callbacks import ModelCheckpoint
from weather.command import WeatherCLI
from weather.data import WeatherData
from weather.models.base import Forecaster
from weather.notes import note

RUN = os.path.join("runs", datetime.date(2024, 5, 17).strftime("%Y%m%d"))


def main() -> None:
    cli = WeatherCLI(
        Forecaster,
        WeatherData,
        subclass_mode_model=True,
        seed_everything_default=21,
        save_config_callback=None,
        trainer_defaults={
            "num_sanity_val_steps": 0,
            "logger": False,
            "default_root_dir": RUN,
            "callbacks": [ModelCheckpoint(dirpath=RUN, filename="{epoch}")],
        },
        parser_kwargs={"fit": {"default_config_files": ["defaults.yaml"]}},
    )
    note(f"done after {cli.trainer.current_epoch} epochs, best {cli.best:.6f}")


if __name__ == "__main__":
    main()
