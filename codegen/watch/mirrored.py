"""The program's folder is a mirror of the user's, of links: what is written through one becomes a copy first."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

from ..source.text_file import alone_in

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

IN_FOLDERS = frozenset({"os.mkdir", "os.remove", "os.rename", "os.link", "os.symlink", "os.truncate"})
"""What changes the folder in which its paths stand."""

OF_FOLDERS = frozenset({"os.rmdir", "os.chdir", "shutil.rmtree"})
"""What changes a folder, or makes it the one in which other paths stand."""


def copy_before_writing(mirror: Path) -> None:
    """From now on, a file or folder below `mirror` that is written to is no link any more."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "sqlite3.connect" or (event == "open" and arguments[2] & WRITES):
            for path in _paths(arguments[:1]):
                own_copy(mirror, path)
        elif event in IN_FOLDERS or event in OF_FOLDERS:
            for path in _paths(arguments[:2]):
                own_folders(mirror, path if event in OF_FOLDERS else path.parent)

    sys.addaudithook(hook)
    save = torch.save

    def own_save(obj: object, f: Any, *args: Any, **options: Any) -> None:
        # which opens files beneath Python
        if isinstance(f, str | os.PathLike):
            own_copy(mirror, Path(f))
        save(obj, f, *args, **options)

    patch("torch.save", own_save).start()


def _paths(arguments: tuple[Any, ...]) -> Iterator[Path]:
    return (Path(each) for each in arguments if isinstance(each, str | os.PathLike))


def own_copy(mirror: Path, path: Path) -> None:
    """Where `path` is a link of the mirror's, to a file, put a copy in its place."""
    path = Path(os.path.abspath(path))
    own_folders(mirror, path.parent)
    if path.is_relative_to(mirror) and path.is_symlink() and path.is_file():
        # other ranks may read it, or be about to write to it, too
        with alone_in(path.parent):
            if path.is_symlink():
                copy = path.with_name(f".{path.name}.copy")
                shutil.copyfile(path, copy)
                copy.replace(path)


def own_folders(mirror: Path, folder: Path) -> None:
    """Where `folder`, or one that it stands in, is a link of the mirror's, put a folder of links in its place."""
    folder = Path(os.path.abspath(folder))
    if not folder.is_relative_to(mirror):
        return
    for each in reversed([folder, *folder.parents][: len(folder.parts) - len(mirror.parts)]):
        if each.is_symlink() and each.is_dir():
            with alone_in(each.parent):
                if each.is_symlink():
                    _make_anew(each)


def _make_anew(link: Path) -> None:
    try:
        entries = list(os.scandir(link.resolve()))
    except OSError:
        return  # what is written through it is refused as well
    folder = link.with_name(f".{link.name}.copy")
    folder.mkdir()
    for entry in entries:
        (folder / entry.name).symlink_to(entry.path)
    link.unlink()
    folder.rename(link)
