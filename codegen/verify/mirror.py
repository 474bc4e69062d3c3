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
        needed = [path.resolve() for path in needed]
        ways = {up for path in needed for up in (path, *path.parents)}
        # what has nothing but the whole machine in common is no project
        projects = needed if self.root == self.root.parent else [self.root]
        self.folder.mkdir(parents=True, exist_ok=True)
        waiting, count = deque([self.root]), 0
        while waiting:
            for entry in _entries(waiting.popleft()):
                is_small = count < MAX_FOLDERS and _is_within(entry, projects)
                if self._is_made_anew(entry, ways, is_small):
                    self._at(entry).mkdir()
                    waiting.append(Path(entry.path))
                    count += 1
                elif not self._holds_mirror(entry):
                    _put(entry, self._at(entry))

    def store(self, place: Path) -> None:
        """Put a copy of the mirror, as it is now, at `place`."""
        shutil.copytree(self.folder, place, symlinks=True)

    def restore(self, place: Path) -> None:
        """Make the mirror anew of what is stored at `place`, which is moved."""
        shutil.rmtree(self.folder)
        place.rename(self.folder)

    def _is_made_anew(self, entry: os.DirEntry[str], ways: Collection[Path], is_small: bool) -> bool:
        if not entry.is_dir(follow_symlinks=False):
            return False
        return Path(entry.path) in ways or (is_small and _is_plain(entry) and not self._holds_mirror(entry))

    def _holds_mirror(self, entry: os.DirEntry[str]) -> bool:
        return self.folder.is_relative_to(entry.path)

    def as_users(self, text: str) -> str:
        """The text with the user's places in place of the mirror's."""
        return text.replace(str(self.folder), str(self.root).rstrip(os.sep))

    def _at(self, entry: os.DirEntry[str]) -> Path:
        return self.folder / Path(entry.path).relative_to(self.root)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []


def _is_within(entry: os.DirEntry[str], folders: Collection[Path]) -> bool:
    return any(Path(entry.path).is_relative_to(folder) for folder in folders)


def _is_plain(entry: os.DirEntry[str]) -> bool:
    is_environment = os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))
    return not (entry.name.startswith(".") or entry.name in LINKED_WHOLE or is_environment)


def _put(entry: os.DirEntry[str], place: Path) -> None:
    if entry.name.endswith(".py") and entry.is_file():
        shutil.copyfile(entry.path, place)
    else:
        place.symlink_to(entry.path)
