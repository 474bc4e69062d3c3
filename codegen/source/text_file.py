"""Files of text: read without loss, written whole or not at all, by one process at a time."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 8 * 2**20
"""So many a file has at most that is read: of what has more no person is the author."""


def require_regular(path: Path) -> os.stat_result:
    """What is known of a file. Raises OSError of a pipe or a device, which may never answer, or never end."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EINVAL, "It is no regular file")
    return status


def read_bytes(path: Path) -> bytes:
    """What a file holds. Raises OSError, also where it is none to be read."""
    if require_regular(path).st_size > MOST_BYTES:
        raise OSError(errno.EFBIG, f"It has more than {MOST_BYTES // 2**20} MiB")
    return path.read_bytes()


def read_text(path: Path) -> str:
    """The text with line ends as Python has them; bytes that are no UTF-8 survive a `replace_file`.

    Raises OSError.
    """
    return read_bytes(path).decode("utf-8", "surrogateescape").replace("\r\n", "\n").removeprefix("\ufeff")


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
