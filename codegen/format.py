"""Black, as it would format in the user's project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import black
from black.const import DEFAULT_LINE_LENGTH
from black.files import find_pyproject_toml, parse_pyproject_toml
from black.mode import TargetVersion


def black_mode(folder: Path) -> black.Mode:
    """The settings of the `[tool.black]` that holds for `folder`; else black's defaults."""
    found = find_pyproject_toml((str(folder.resolve()),))
    options: dict[str, Any] = parse_pyproject_toml(found) if found else {}
    targets = {TargetVersion[name.upper()] for name in options.get("target_version", [])}
    return black.Mode(
        target_versions=targets,
        line_length=int(options.get("line_length", DEFAULT_LINE_LENGTH)),
        string_normalization=not options.get("skip_string_normalization", False),
        magic_trailing_comma=not options.get("skip_magic_trailing_comma", False),
        preview=bool(options.get("preview", False)),
    )


def formatted(text: str, mode: black.Mode) -> str:
    """`text` as black leaves it."""
    return black.format_str(text, mode=mode)
