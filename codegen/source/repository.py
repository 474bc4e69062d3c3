"""The repository that a file stands in, and where in it modules stand that Python would not find."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

PROJECT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
ENVIRONMENT_MARK = "pyvenv.cfg"

MOST_FOLDERS = 2000
"""So many are looked into."""


def repository_of(path: Path) -> Path | None:
    """The innermost folder above `path` that is marked as a project's."""
    return next((up for up in path.parents if _is_project(up)), None)


def checkout_of(path: Path) -> Path | None:
    """The folder above `path` that git has checked out; where there is none, the project's."""
    return next((up for up in path.parents if (up / ".git").exists()), repository_of(path))


def _is_project(folder: Path) -> bool:
    # where anybody may put files, none of them says where a project's modules are
    return folder != _temporary() and any((folder / mark).exists() for mark in PROJECT_MARKS)


def holds_projects(folder: Path) -> bool:
    """Whether a folder is one that projects stand in, whatever else does: the home folder, the temporary one."""
    home = Path(os.path.expanduser("~")).resolve()
    return folder.resolve() in (Path(folder.anchor), home, _temporary())


def _temporary() -> Path:
    return Path(tempfile.gettempdir()).resolve()


def standing_elsewhere(modules: Iterable[str], entry: Path) -> dict[str, Path]:
    """Of some modules, the folders of the entry's repository from which they could be imported, the outermost each."""
    repository = repository_of(entry.resolve())
    folders = list(folders_within(repository)) if repository else []
    found = dict[str, Path]()
    for name in modules:
        path = Path(*name.split("."))
        holders = (folder for folder in folders if is_module(folder / path))
        if name.partition(".")[0] not in sys.stdlib_module_names and (first := next(holders, None)):
            found[name] = first
    return found


def is_module(path: Path) -> bool:
    """Whether a module's file, or its package's, stands at a path without an ending."""
    return path.with_name(f"{path.name}.py").is_file() or (path / "__init__.py").is_file()


def folders_within(folder: Path) -> Iterator[Path]:
    """A folder and those in it, the outer ones first, but for hidden ones and environments; the first of many."""
    waiting = [folder]
    for each in islice(waiting, MOST_FOLDERS):
        yield each
        waiting += [path for path in _inner(each) if not (path / ENVIRONMENT_MARK).exists()]


def _inner(folder: Path) -> list[Path]:
    try:
        names = sorted(each.name for each in os.scandir(folder) if each.is_dir(follow_symlinks=False))
    except OSError:  # which may not be read
        return []
    return [folder / name for name in names if not name.startswith((".", "_"))]
