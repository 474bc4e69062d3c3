"""Black, as it would format in the user's project."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import black
from black.const import DEFAULT_LINE_LENGTH
from black.files import find_project_root, parse_pyproject_toml
from black.mode import TargetVersion
from black.parsing import InvalidInput

from .. import messages
from ..diagnostics import CompileError
from ..ir.files import joined, separate
from .by_definition import by_definition


def black_mode(folder: Path) -> black.Mode:
    """The settings of the `[tool.black]` that holds for `folder`; else black's defaults.

    Settings of the user's machine are left alone: the same inputs give the same script everywhere.
    Raises CompileError where the settings cannot be read.
    """
    root, _ = find_project_root((str(folder.resolve()),))
    file = (root or folder) / "pyproject.toml"
    try:
        return _mode(parse_pyproject_toml(str(file)) if file.is_file() else {})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CompileError([messages.unreadable_black_settings(file.as_posix(), str(error))]) from None


def _mode(options: dict[str, Any]) -> black.Mode:
    return black.Mode(
        target_versions={TargetVersion[name.upper()] for name in options.get("target_version", [])},
        line_length=int(options.get("line_length", DEFAULT_LINE_LENGTH)),
        string_normalization=not options.get("skip_string_normalization", False),
        magic_trailing_comma=not options.get("skip_magic_trailing_comma", False),
        preview=bool(options.get("preview", False)),
    )


def formatted(text: str, mode: black.Mode) -> str:
    """A script's text, a module beside it included, as black leaves it. Raises CompileError where it is no Python."""
    try:
        return joined([by_definition(each, mode) for each in separate(text)])
    except (InvalidInput, SyntaxError) as error:
        raise CompileError([messages.broken_script(str(error))]) from None


def style(mode: black.Mode) -> str:
    """Black's version and those of its settings that are not the defaults, in words."""
    default = black.Mode()
    names = ("line_length", "string_normalization", "magic_trailing_comma", "preview")
    chosen = [
        f"{name}={getattr(mode, name)}" for name in names if getattr(mode, name) != getattr(default, name)
    ]
    chosen += sorted(target.name.lower() for target in mode.target_versions)
    return ", ".join((version("black"), *chosen))
