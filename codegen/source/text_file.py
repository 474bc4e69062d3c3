"""Files of text: read without loss, written whole or not at all, by one process at a time."""

from __future__ import annotations

import contextlib
import glob
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


def read_text(path: Path) -> str:
    """The text with line ends as Python has them; bytes that are no UTF-8 survive a `replace_file`.

    Raises OSError.
    """
    return path.read_bytes().decode("utf-8", "surrogateescape").replace("\r\n", "\n").removeprefix("\ufeff")


def replace_file(path: Path, text: str) -> None:
    """Write beside `path`, then rename; a crash leaves the old file or the new one.

    Line ends stay as they are there, and links stay links. Raises OSError.
    """
    path = path.resolve()
    ends = "\r\n" if path.exists() and b"\r\n" in path.read_bytes() else "\n"
    data = text.replace("\n", ends).encode("utf-8", "surrogateescape")
    descriptor, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".partial")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(partial, path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        os.replace(partial, path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def forget_partial_files(folder: Path, name: str) -> None:
    """Remove what processes left that were killed while they wrote files whose names start with `name`."""
    for partial in folder.glob(f".{glob.escape(name)}*.partial"):
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process is in here; one that is killed leaves it. Raises OSError."""
    if os.name == "nt":  # where a folder cannot be locked, builds at once are not kept apart
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # nor are they on file systems without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
