"""A folder that stands for the user's: programs find everything in it, and what they write stays in it."""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Collection
from pathlib import Path

MAX_FOLDERS = 2_000
"""So many are made anew; those further down are linked whole, as a data set's are."""

LINKED_WHOLE = frozenset({"node_modules", "site-packages"})


class Mirror:
    """`folder` looks like `root`; Python files in it are copies, other files links."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root.resolve(), folder.resolve()

    def place(self, path: Path) -> Path:
        """Where the mirror has what stands at `path`."""
        return self.folder / Path(os.path.abspath(path)).resolve().relative_to(self.root)

    def fill(self, needed: Collection[Path]) -> None:
        """Make the mirror; the folders in `needed`, and those that they stand in, are not linked whole."""
        ways = {up for path in needed for up in (path.resolve(), *path.resolve().parents)}
        self.folder.mkdir(parents=True, exist_ok=True)
        waiting, count = deque([self.root]), 0
        while waiting:
            for entry in _entries(waiting.popleft()):
                if self._is_made_anew(entry, ways, count):
                    self._at(entry).mkdir()
                    waiting.append(Path(entry.path))
                    count += 1
                elif not self.folder.is_relative_to(entry.path):
                    _put(entry, self._at(entry))

    def _is_made_anew(self, entry: os.DirEntry[str], ways: Collection[Path], count: int) -> bool:
        if not entry.is_dir(follow_symlinks=False):
            return False
        holds_mirror = self.folder.is_relative_to(entry.path)
        return Path(entry.path) in ways or (count < MAX_FOLDERS and _is_plain(entry) and not holds_mirror)

    def _at(self, entry: os.DirEntry[str]) -> Path:
        return self.folder / Path(entry.path).relative_to(self.root)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []


def _is_plain(entry: os.DirEntry[str]) -> bool:
    """Whether it may be a folder of the project's."""
    is_environment = os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))
    is_systems = len(Path(entry.path).parents) == 1
    return not (entry.name.startswith(".") or entry.name in LINKED_WHOLE or is_environment or is_systems)


def _put(entry: os.DirEntry[str], place: Path) -> None:
    if entry.name.endswith(".py") and entry.is_file():
        shutil.copyfile(entry.path, place)
    else:
        place.symlink_to(entry.path)
