"""OmegaConf's configurations among hyperparameters: dicts and lists in checkpoints, and made of these again."""

from collections.abc import Collection
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException


def may_hold_configurations() -> bool:
    """Whether hyperparameters may be configurations, or hold some."""
    return True


def as_data(hparams: Any) -> dict[str, Any]:
    """Hyperparameters, with the data of configurations in their places."""
    held = data_of(hparams) if OmegaConf.is_config(hparams) else hparams
    return {name: data_of(value) for name, value in held.items()}


def data_of(value: Any) -> Any:
    """The dict or the list that a configuration stands for; any other value as it is."""
    if OmegaConf.is_dict(value):
        return {key: entry_of(value, key) for key in value}
    if OmegaConf.is_list(value):
        return [entry_of(value, place) for place in range(len(value))]
    return value


def entry_of(configuration: Any, key: Any) -> Any:
    """What it refers to, or the text that says so, where that is not there."""
    try:
        return data_of(configuration[key])
    except OmegaConfBaseException:
        return OmegaConf.to_container(configuration)[key]  # type: ignore[index]


def configurations_in(hparams: Any, whole: str) -> list[str]:
    """The names of those that are configurations; `whole` is that of all of them together."""
    if not OmegaConf.is_config(hparams):
        return [name for name, each in hparams.items() if OmegaConf.is_config(each)]
    data = data_of(hparams)
    return [whole, *(name for name in data if isinstance(data[name], dict | list))]


def as_configured(
    arguments: dict[str, Any], names: Collection[str], given: Collection[str]
) -> dict[str, Any]:
    """Arguments that a checkpoint holds, with configurations under those names, unless others are `given`."""
    made = {
        name: OmegaConf.create(dict(value) if isinstance(value, dict) else value)
        for name, value in arguments.items()
        if name in names and name not in given
    }
    return {**arguments, **made}
