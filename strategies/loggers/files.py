"""Text files that are written whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def written_whole(path: Path) -> Iterator[TextIO]:
    """A file beside `path` that gets its name when all is written."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", newline="") as file:
        yield file
    partial.replace(path)
