"""What a LightningCLI in the code says, together with its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostic
from ..spec.init_args.environment import AtRun
from ..spec.load import LoadedSpec
from ..spec.yaml_file import KeyPath

OPTIONS = {("seed_everything",), ("trainer", "max_epochs")}
"""Settings beside arguments that scripts have as options."""


@dataclass(frozen=True)
class ToldByCli:
    """The spec, with the defaults and links of the code's, and what of them cannot be read."""

    spec: LoadedSpec
    problems: tuple[Diagnostic, ...] = ()
    own: Mapping[str, Any] = field(default_factory=dict)  # arguments of the code's own, with their values
    config: Mapping[str, Any] = field(default_factory=dict)  # all that is set, under LightningCLI's keys
    files: tuple[Path, ...] = ()  # of settings, which the code names
    does_more: bool = False  # a class of the code's, than to say what there is to set
    runs: bool = True  # a command
    command: str = "fit"
    folder: AtRun | None = None  # that it trains in, where a run reads that
    of_trainer: frozenset[KeyPath] = (
        frozenset()
    )  # settings of the Trainer's that are others than those in `config`
    fixed: frozenset[KeyPath] = frozenset()  # settings from which others are computed by now
    notes: tuple[Diagnostic, ...] = ()
    ckpt_path: str | None = None  # that a command other than `fit` is told
    handed: Mapping[str, str] = field(
        default_factory=dict
    )  # variables that have objects, by the objects' keys
    texts: Mapping[str, AtRun] = field(default_factory=dict)  # that settings are made of, by attributes
    is_written: bool = False  # as a class of the script's, which says the rest

    @property
    def fixed_options(self) -> tuple[KeyPath, ...]:
        """Those of the fixed settings that would be options of a script."""
        sections = {"model", "data", *(name for name, value in self.own.items() if _is_plain(value))}
        found = (path for path in self.fixed if path[0] in sections or path in OPTIONS)
        return tuple(sorted(found, key=str))


def _is_plain(value: object) -> bool:
    return type(value) in (int, float, str)
