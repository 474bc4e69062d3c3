"""Hyperparameters as loggers take them, and out of the files that they leave."""

import importlib
import importlib.util
import os
import warnings
from argparse import Namespace
from collections.abc import Mapping, MutableMapping, MutableSequence
from dataclasses import asdict, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import yaml

from ..loggers.files import atomic_write_text


def flatten_hyperparameters(params: Any, prefix: str = "") -> dict[str, Any]:
    """`{"a": {"b": 1}}` as `{"a/b": 1}`; so with namespaces, dataclasses and lists of dicts."""
    flat: dict[str, Any] = {}
    for name, value in params.items():
        nested = nested_hyperparameters(value)
        if nested is None:
            flat[f"{prefix}{name}"] = value
        else:
            flat |= flatten_hyperparameters(nested, f"{prefix}{name}/")
    return flat


def nested_hyperparameters(value: Any) -> Mapping[Any, Any] | None:
    """What stands within a value, if it is not a leaf."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Namespace):
        return vars(value)
    if isinstance(value, MutableMapping):
        return value
    is_rows = isinstance(value, list) and all(
        isinstance(row, MutableMapping) for row in value
    )
    return dict(enumerate(value)) if is_rows else None


def write_hyperparameters(path: str, params: Mapping[str, Any]) -> None:
    """A YAML file, without what YAML cannot hold."""
    text = text_by_omegaconf(params)
    if text is not None:
        atomic_write_text(Path(path), text)
        return
    written: dict[str, Any] = {}
    for name, value in params.items():
        value = value.name if isinstance(value, Enum) else plain_containers(value)
        try:
            yaml.dump(value)
        except (TypeError, ValueError):
            warnings.warn(f"{path} does not hold {name}", stacklevel=2)
        else:
            written[name] = value
    atomic_write_text(Path(path), yaml.dump(written))


def text_of_scalars(params: Mapping[str, Any]) -> str:
    """As OmegaConf writes numbers and texts, in their order, if it is installed."""
    if importlib.util.find_spec("omegaconf"):
        return str(importlib.import_module("omegaconf").OmegaConf.to_yaml(params))
    return yaml.dump(params)


def text_by_omegaconf(params: Mapping[str, Any]) -> str | None:
    """As OmegaConf writes them; None: it is not installed, or cannot hold them."""
    if importlib.util.find_spec("omegaconf") is None:
        return None
    omegaconf: Any = importlib.import_module("omegaconf")
    holding = omegaconf.OmegaConf
    errors = omegaconf.errors.UnsupportedValueType, omegaconf.errors.ValidationError
    values = {
        name: (
            holding.to_container(value, resolve=True)
            if isinstance(value, omegaconf.DictConfig)
            else value
        )
        for name, value in params.items()
    }
    try:
        text: str = holding.to_yaml(values)
    except errors:
        return None
    return text


def plain_containers(value: Any) -> Any:
    """OmegaConf's containers, and others of their kind, as dicts and lists."""
    if isinstance(value, dict | list):
        return value
    if isinstance(value, MutableMapping):
        return {name: plain_containers(item) for name, item in value.items()}
    if isinstance(value, MutableSequence):
        return [plain_containers(item) for item in value]
    return value


def load_hparams_from_yaml(
    config_yaml: str | os.PathLike[str], use_omegaconf: bool = True
) -> Any:
    """What a file of hyperparameters holds, as OmegaConf's container where there is OmegaConf."""
    path = Path(config_yaml)
    if not path.exists():
        warnings.warn(f"there are no hyperparameters in {path}", stacklevel=2)
        return {}
    values = yaml.full_load(path.read_text())
    if not use_omegaconf or importlib.util.find_spec("omegaconf") is None:
        return values
    omegaconf: Any = importlib.import_module("omegaconf")
    errors = omegaconf.errors.UnsupportedValueType, omegaconf.errors.ValidationError
    try:
        return omegaconf.OmegaConf.create(values)
    except errors:
        return values
