"""What hydra makes of a configuration, of the script's own classes."""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import partial
from typing import Any

import hydra
from omegaconf import OmegaConf

from .trainer_settings import not_built_for

WITH_FIELDS = {
    *("EarlyStopping", "LearningRateMonitor", "ModelCheckpoint", "Timer"),
    *("OnExceptionCheckpoint", "PyTorchLightningPruningCallback"),
}


def instantiated(
    config: Any, targets: Mapping[str, Callable[..., Any]], *args: Any, **kwargs: Any
) -> Any:
    """What hydra makes of the configuration, with `targets` for the classes in it."""
    own = with_own_targets(config, targets)
    held = own if isinstance(own, dict) else {}
    given = {name: held[name] for name in held if name != "_target_"} | kwargs
    # which hydra would take for configurations, where they are dataclasses
    objects = {name: value for name, value in given.items() if is_object(value)}
    if not objects:
        return hydra.utils.instantiate(own, *args, **kwargs)
    rest = {name: value for name, value in own.items() if name not in objects}
    rest |= {name: value for name, value in kwargs.items() if name not in objects}
    make = hydra.utils.instantiate(rest | {"_partial_": True}, *args)
    return partial(make, **objects) if rest.get("_partial_") else make(**objects)


def is_object(value: Any) -> bool:
    """Whether a value is, or holds, something that a configuration does not."""
    if isinstance(value, list | tuple):
        return any(map(is_object, value))
    is_plain = value is None or isinstance(value, bool | int | float | str | dict)
    return not (is_plain or OmegaConf.is_config(value))


def with_own_targets(config: Any, targets: Mapping[str, Callable[..., Any]]) -> Any:
    """The configuration, with `targets` in the place of the classes that it names."""
    if OmegaConf.is_config(config):
        config = OmegaConf.to_container(config, resolve=True)
    if isinstance(config, list):
        return [with_own_targets(each, targets) for each in config]
    if not isinstance(config, dict):
        return config
    own = {name: with_own_targets(each, targets) for name, each in config.items()}
    if "_target_" in config:
        own["_target_"] = own_target(config["_target_"], targets)
    return own


def own_target(name: str, targets: Mapping[str, Any]) -> Any:
    """What stands for a class; one that the script was not built with ends the run."""
    if name not in targets:
        raise not_built_for(name)
    if is_dataclass(targets[name]):
        drop_fields(targets[name])
    return targets[name]


def drop_fields(kind: Any) -> None:
    """Have Lightning's classes be none that have fields."""
    for cls in kind.__mro__:  # else OmegaConf takes objects for configurations
        if cls.__name__ in WITH_FIELDS and "__dataclass_fields__" in vars(cls):
            del cls.__dataclass_fields__
