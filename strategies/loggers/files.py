"""Text files that are written whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def atomic_write(path: Path) -> Iterator[TextIO]:
    """Write to a file beside `path`, then rename it: there is never half a file."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", newline="") as file:
        yield file
    partial.replace(path)


def atomic_write_text(path: Path, text: str) -> None:
    """Write beside `path`, then rename: there is never half a file."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, newline="")
    partial.replace(path)
