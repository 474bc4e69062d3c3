"""What a configuration holds, and where in its files that stands."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import yaml

from ...diagnostics import CompileError, Span
from ...source.text_file import read_bytes
from ...spec.yaml_file import KeyPath, read_yaml


@dataclass(frozen=True)
class Setting:
    """A value of a configuration."""

    name: str  # dotted, from the top
    value: object = None
    is_known: bool = True  # when building; else only where the script runs
    text: str = field(default="", compare=False)  # as it stands, where interpolations of it are left to a run


TARGET = "_target_"
"""The key of what a part of a configuration is made by."""

Node: TypeAlias = "dict[str, Node] | list[Node] | Setting"


class Part(dict[str, Node]):
    """A mapping that a function is given, as it is got at there: `config["params"]`."""

    def __init__(self, entries: Mapping[str, Node], code: str) -> None:
        super().__init__(entries)
        self.code = code


def part(node: Node, code: str) -> Node:
    """A part of a configuration, with the code that gets at each part of it for its name."""
    if isinstance(node, dict):
        return Part({key: part(each, f"{code}[{key!r}]") for key, each in node.items()}, code)
    if isinstance(node, list):
        return [part(each, f"{code}[{place}]") for place, each in enumerate(node)]
    return Setting(code, node.value, node.is_known)


@dataclass(frozen=True)
class Configuration:
    """What is known of one when building."""

    settings: dict[str, Node]
    files: tuple[Path, ...]  # that it comes from
    spans: Mapping[str, Span] = field(default_factory=dict)  # of settings, by their names
    chosen: Mapping[str, str | None] = field(
        default_factory=dict
    )  # of each group of hydra's; None: nothing is


OVERRIDE = "Could not override"
"""How hydra begins where it does not know what an override is for."""


class NotHeld(Exception):
    """Why there is no configuration, in a sentence."""


def not_held(error: Exception) -> NotHeld:
    """What a library says of a file that it cannot use; of YAML that is none with the place."""
    if isinstance(error, yaml.MarkedYAMLError) and (mark := error.problem_mark):
        return NotHeld(f"`{os.path.relpath(mark.name)}`, line {mark.line + 1}, is no YAML: {error.problem}")
    first, *others = str(error).split("\n")
    if missing := _only_file(error):
        group = missing.rpartition("/")[0]
        said = f"{first}: there is no folder `{group}` with options. Add `{missing}.yaml` to the configuration's folder"
        return NotHeld(said)
    if first.startswith(OVERRIDE):  # which goes on to say how it would be added, and why it is not known
        cause = str(error.__cause__ or "").split("\n")[:1]
        return NotHeld(" ".join([first, *(f"{line.rstrip('.')}." for line in (*others[:1], *cause) if line)]))
    said = " ".join([first, *others[:1]]) if first.endswith(":") else first
    return NotHeld(said.strip() or f"what reads it ends with `{type(error).__name__}`")


def _only_file(error: Exception) -> str:
    """What hydra does not find of a group that has no other file; empty: it is something else that is wrong."""
    missing = f"{getattr(error, 'missing_cfg_file', None) or ''}".removesuffix(".yaml")
    return missing if "/" in missing and ".." not in missing and not getattr(error, "options", None) else ""


@dataclass(eq=False)
class ChoicesOpen(NotHeld):
    """The configuration leaves choices open: the options of each group."""

    choices: Mapping[str, tuple[str, ...]]


def is_plain(value: object) -> bool:
    """Whether a value can be written as code."""
    is_number = not isinstance(value, float) or math.isfinite(value)
    return is_number and (value is None or type(value) in (bool, int, float, str))


def named_spans(file: Path, top: str) -> dict[str, Span]:
    """Where the settings of a file of YAML or JSON stand, by their names, which begin with `top`."""
    try:
        read = read_yaml(str(file), read_bytes(file))
    except (OSError, CompileError):  # who reads it for its values says it better
        return {}
    return {_name(path, top): position.value for path, position in read.positions.items() if path}


def _name(path: KeyPath, top: str) -> str:
    return top + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
