"""What makes callbacks, and names hydra alone."""

import hydra
from omegaconf import DictConfig


def make_callbacks(configs):
    made = []
    for _, config in (configs or {}).items():
        if isinstance(config, DictConfig) and "_target_" in config:
            made.append(hydra.utils.instantiate(config))
    return made
