"""What hydra makes of a configuration, of the script's own classes."""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import partial
from typing import Any

import hydra
from omegaconf import OmegaConf, flag_override

from .trainer_settings import not_built_for

FLAGS = ["allow_objects", "struct", "readonly"]
WITH_FIELDS = {
    *("EarlyStopping", "LearningRateMonitor", "ModelCheckpoint", "Timer"),
    *("OnExceptionCheckpoint", "PyTorchLightningPruningCallback"),
}


def instantiated(
    config: Any, targets: Mapping[str, Callable[..., Any]], *args: Any, **kwargs: Any
) -> Any:
    """What hydra makes of the configuration, with `targets` for the classes in it."""
    # objects that hydra would take for configurations, where they are dataclasses
    given = objects_in(kwargs)
    data = merged(config, {name: kwargs[name] for name in kwargs if name not in given})
    if not isinstance(data, dict):
        return hydra.utils.instantiate(with_own_targets(data, targets), *args, **kwargs)
    objects = objects_in(data) | given
    own = {name: each for name, each in data.items() if name not in objects}
    own = with_own_targets(own, targets)
    if not objects:
        return hydra.utils.instantiate(own, *args)
    make = hydra.utils.instantiate(own | {"_partial_": True}, *args)
    return partial(make, **objects) if own.get("_partial_") else make(**objects)


def objects_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those arguments that are no configuration's."""
    return {k: v for k, v in values.items() if k != "_target_" and is_object(v)}


def merged(config: Any, arguments: Mapping[str, Any]) -> Any:
    """A configuration's data, with arguments that it may refer to."""
    held: dict[str, Any] = {}
    if isinstance(config, dict):
        held = objects_in(config)
        config = OmegaConf.create(
            {name: config[name] for name in config if name not in held}
        )
    if OmegaConf.is_dict(config) and arguments:
        with flag_override(config, FLAGS, [True, False, False]):
            config = OmegaConf.merge(config, arguments)
    if not OmegaConf.is_config(config):
        return config
    data: Any = OmegaConf.to_container(config, resolve=True)
    return data | held if isinstance(data, dict) else data


def is_object(value: Any) -> bool:
    """Whether a value is, or holds, something that a configuration does not."""
    if isinstance(value, list | tuple):
        return any(map(is_object, value))
    kinds = {cls.__name__ for cls in type(value).__mro__}
    if is_dataclass(value):  # hydra reads those of others as configurations
        return bool(kinds & WITH_FIELDS)
    is_plain = value is None or isinstance(value, bool | int | float | str | dict)
    return not (is_plain or OmegaConf.is_config(value))


def with_own_targets(config: Any, targets: Mapping[str, Callable[..., Any]]) -> Any:
    """The configuration, with `targets` in the place of the classes that it names, but of what is made later."""
    if OmegaConf.is_config(config):
        config = OmegaConf.to_container(config, resolve=True)
    if isinstance(config, list):
        return [with_own_targets(each, targets) for each in config]
    if not isinstance(config, dict):
        return config
    is_whole = config.get("_recursive_", True)
    own = {
        name: with_own_targets(each, targets) if is_whole else each
        for name, each in config.items()
    }
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
