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
from ..diagnostics import CompileError, Diagnostic
from ..ir.files import joined, separate
from .by_definition import by_definition

UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)


def black_mode(folder: Path) -> black.Mode:
    """The settings of the `[tool.black]` that holds for `folder`; else black's defaults."""
    return black_settings(folder)[0]


def black_settings(folder: Path) -> tuple[black.Mode, tuple[Diagnostic, ...]]:
    """How black formats in `folder`, and a warning where its settings cannot be read: its defaults hold then.

    Settings of the user's machine are left alone: the same inputs give the same script everywhere.
    """
    file = None
    try:
        root, _ = find_project_root((str(folder.resolve()),))
        file = (root or folder) / "pyproject.toml"
        return _mode(parse_pyproject_toml(str(file)) if file.is_file() else {}), ()
    except UNREADABLE as error:
        broken = file or _broken_above(folder)
        return black.Mode(), (messages.unreadable_black_settings(broken.as_posix(), str(error)),)


def _broken_above(folder: Path) -> Path:
    """The first file that black cannot read on its way up from the folder to the project's root."""
    folder = folder.resolve()
    files = [up / "pyproject.toml" for up in (folder, *folder.parents)]
    return next((file for file in files if file.is_file() and not _can_be_read(file)), files[0])


def _can_be_read(file: Path) -> bool:
    try:
        parse_pyproject_toml(str(file))
    except UNREADABLE:
        return False
    return True


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
