"""A folder that stands for the machine's: programs find everything in it, and what they write stays in it."""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Collection, Iterable
from pathlib import Path

MAX_FOLDERS = 2_000
"""So many are made anew; those further down are linked whole, as a data set's are."""

LINKED_WHOLE = frozenset({"node_modules", "site-packages"})


class Mirror:
    """`folder` looks like the machine's root; in projects Python files are copies, all else is linked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.root = Path(self.folder.anchor)

    def place(self, path: Path) -> Path:
        """Where the mirror has what stands at `path`."""
        return self.folder / Path(os.path.abspath(path)).resolve().relative_to(self.root)

    def fill(self, projects: Collection[Path], places: Collection[Path] = ()) -> None:
        """Make the mirror: projects folder by folder, places by what stands right in them.

        Of what stands beside a project nothing is read but its name.
        """
        projects, places = _resolved(projects), _resolved(places)
        ways = {up for path in (*projects, *places) for up in (path, *path.parents)}
        waiting, count = deque(sorted(ways)), 0
        for way in waiting:
            self.place(way).mkdir(parents=True, exist_ok=True)
        while waiting:
            folder = waiting.popleft()
            is_within = any(folder.is_relative_to(project) for project in projects)
            for entry in _entries(folder):
                if Path(entry.path) in ways or self._holds_mirror(entry):
                    continue
                if is_within and count < MAX_FOLDERS and _is_plain_folder(entry):
                    self._at(entry).mkdir()
                    waiting.append(Path(entry.path))
                    count += 1
                else:
                    _put(entry, self._at(entry), is_within or folder in places)

    def store(self, place: Path) -> None:
        """Put a copy of the mirror, as it is now, at `place`."""
        shutil.copytree(self.folder, place, symlinks=True)

    def restore(self, place: Path) -> None:
        """Make the mirror anew of what is stored at `place`, which is moved."""
        shutil.rmtree(self.folder)
        place.rename(self.folder)

    def as_users(self, text: str) -> str:
        """The text with the user's places in place of the mirror's."""
        return text.replace(str(self.folder), str(self.root).rstrip(os.sep))

    def _holds_mirror(self, entry: os.DirEntry[str]) -> bool:
        return self.folder.is_relative_to(entry.path)

    def _at(self, entry: os.DirEntry[str]) -> Path:
        return self.folder / Path(entry.path).relative_to(self.root)


def _resolved(paths: Iterable[Path]) -> list[Path]:
    return [path.resolve() for path in paths]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []


def _is_plain_folder(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in LINKED_WHOLE or not entry.is_dir(follow_symlinks=False):
        return False
    # what cannot be looked into is linked
    is_environment = os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))
    return os.access(entry.path, os.R_OK | os.X_OK) and not is_environment


def _put(entry: os.DirEntry[str], place: Path, has_modules: bool) -> None:
    """A link; of a module a copy, for it to find itself in the mirror. What cannot be read stays what it is."""
    # links in a circle, and pipes, are no files
    if has_modules and entry.name.endswith(".py") and os.path.isfile(entry.path):
        try:
            shutil.copyfile(entry.path, place)
            return
        except OSError:
            place.unlink(missing_ok=True)
    place.symlink_to(entry.path)
