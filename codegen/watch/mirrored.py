"""The program's folder is a mirror of the user's, of links: what is written through one becomes a copy first."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

from ..source.text_file import alone_in

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def copy_before_writing(mirror: Path) -> None:
    """From now on, a file below `mirror` that is opened for writing is no link any more."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike) and arguments[2] & WRITES:
            own_copy(mirror, Path(arguments[0]))

    sys.addaudithook(hook)
    save = torch.save

    def own_save(obj: object, f: Any, *args: Any, **options: Any) -> None:
        # which opens files beneath Python
        if isinstance(f, str | os.PathLike):
            own_copy(mirror, Path(f))
        save(obj, f, *args, **options)

    patch("torch.save", own_save).start()


def own_copy(mirror: Path, path: Path) -> None:
    """Where `path` is a link of the mirror's, to a file, put a copy in its place."""
    path = Path(os.path.abspath(path))
    if path.is_relative_to(mirror) and path.is_symlink() and path.is_file():
        # other ranks may read it, or be about to write to it, too
        with alone_in(path.parent):
            if path.is_symlink():
                copy = path.with_name(f".{path.name}.copy")
                shutil.copyfile(path, copy)
                copy.replace(path)
