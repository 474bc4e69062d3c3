"""What code has from the files that it loads: YAML and JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from ...ir.project import Load
from ...source.text_file import read_bytes
from ..stored.store import Store
from .composed import FolderOf, Primary, composed, of_omegaconf, without_ending
from .held import Configuration, Node, NotHeld, Setting, is_plain, named_spans, not_held

MAX_BYTES = 64 * 1024
"""What is larger holds data, not settings."""


def loaded(load: Load, top: str, folder_of: FolderOf, store: Store) -> Configuration:
    """What a call gives that loads a file, with names that begin with `top`. Raises NotHeld."""
    file = load.file
    if load.by == "hydra.compose":
        return composed(started_from(load), None, load.overrides, top, folder_of, store)
    try:
        text = read_bytes(file)
        if len(text) > MAX_BYTES:
            raise NotHeld("the file is too large for one of settings")
        settings = LOADERS[load.by](file, top)
    except NotHeld:
        raise
    except Exception as error:  # whatever a library says of a file that it cannot use
        raise not_held(error) from None
    return Configuration(settings, (file,), named_spans(file, top))


def started_from(load: Load) -> Primary:
    """Which configuration hydra starts from, in the folder where it looks for those."""
    folder = load.folder or load.file.parent
    return Primary(folder, without_ending(Path(os.path.relpath(load.file, folder)).as_posix()))


def _of_yaml(file: Path, top: str) -> dict[str, Node]:
    return _top_level(yaml.safe_load(file.read_text("utf-8")), top)


def _of_json(file: Path, top: str) -> dict[str, Node]:
    return _top_level(json.loads(file.read_text("utf-8")), top)


LOADERS: dict[str, Callable[[Path, str], dict[str, Node]]] = {
    "omegaconf": of_omegaconf,
    "yaml": _of_yaml,
    "json": _of_json,
}


def _top_level(data: object, top: str) -> dict[str, Node]:
    if not isinstance(data, dict):
        raise NotHeld("the file holds no mapping")
    return {str(key): _node(value, f"{top}.{key}") for key, value in data.items() if isinstance(key, str)}


def _node(value: Any, name: str) -> Node:
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _node(each, f"{name}.{key}") for key, each in value.items()}
    if isinstance(value, list):
        return [_node(each, f"{name}[{place}]") for place, each in enumerate(value)]
    return Setting(name, value, is_plain(value))
