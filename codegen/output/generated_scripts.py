"""Which files are generated scripts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..ir.files import module_path
from .outcome import HEADER

FIRST = 4096  # bytes, among which the header stands
NOT_A_PROJECT = {"__pycache__", "node_modules", "site-packages"}


def scripts_below(paths: Iterable[Path]) -> list[Path]:
    """Those below `paths`, also those that are gone and whose records are left; a file stands for itself."""
    found = (script for path in paths for script in ([script_of(path)] if path.is_file() else _below(path)))
    return sorted({Path(os.path.normpath(script)) for script in found})


def script_of(path: Path) -> Path:
    """The script that a module stands beside; of another file, itself."""
    records = (path.parent / ".ddpgen").glob("*.py.txt")
    scripts = (path.with_name(record.name.removesuffix(".txt")) for record in sorted(records))
    return next((script for script in scripts if module_path(script) == path), path)


def _below(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        here = Path(root)
        yield from (here / name for name in files if name.endswith(".py") and is_generated(here / name))
        if ".ddpgen" in folders:
            records = (here / ".ddpgen").glob("*.py.txt")
            yield from (here / record.name.removesuffix(".txt") for record in records)
        folders[:] = [name for name in folders if _is_looked_into(here / name)]


def _is_looked_into(folder: Path) -> bool:
    is_hidden = folder.name.startswith(".") or folder.name in NOT_A_PROJECT
    return not is_hidden and not (folder / "pyvenv.cfg").exists()


def is_generated(path: Path) -> bool:
    """Whether the file says of itself that ddpgen wrote it."""
    if not path.is_file():
        return False  # a pipe would not answer
    try:
        with path.open("rb") as file:
            start = file.read(FIRST)
    except OSError:
        return False
    return HEADER.search(start.decode("utf-8", "replace").replace("\r\n", "\n")) is not None
