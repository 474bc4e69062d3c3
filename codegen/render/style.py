"""How black would format in a folder, in words: known without black where nothing sets it."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path


def style_in(folder: Path) -> str:
    """Black's version and those of its settings that are not the defaults. Raises OSError."""
    folder = folder.resolve()
    files = (up / "pyproject.toml" for up in (folder, *folder.parents))
    if not any(_may_set(file) for file in files if file.is_file()):
        return version("black")
    from .format import black_mode, style

    return style(black_mode(folder))


def _may_set(file: Path) -> bool:
    """Whether black may take a setting from the file; it also reads which Python a project is for."""
    text = file.read_bytes()
    return b"black" in text or b"requires-python" in text
