"""What a LightningCLI in the code says, together with its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostic
from ..spec.load import LoadedSpec


@dataclass(frozen=True)
class ToldByCli:
    """The spec, with the defaults and links of the code's, and what of them cannot be read."""

    spec: LoadedSpec
    problems: tuple[Diagnostic, ...] = ()
    own: Mapping[str, Any] = field(default_factory=dict)  # arguments of the code's own, with their values
    files: tuple[Path, ...] = ()  # of settings, which the code names
