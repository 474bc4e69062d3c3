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
    notes: tuple[Diagnostic, ...] = ()
    ckpt_path: str | None = None  # that a command other than `fit` is told
    is_written: bool = False  # as a class of the script's, which says the rest
