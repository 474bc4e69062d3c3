"""The experiment of ranks that write nothing, and the numbers of those that do."""

from pathlib import Path
from typing import Any


class NoExperiment:
    """What ranks that write nothing have for an experiment: all its methods do nothing."""

    def __getattr__(self, name: str) -> "NoExperiment":
        return self

    def __call__(self, *args: Any, **options: Any) -> None: ...

    def __setitem__(self, name: str, value: Any) -> None: ...


class DummyLogger(NoExperiment):
    """A logger that writes nothing."""

    name, version = "", ""
    save_dir, root_dir, log_dir = None, None, None


def next_version(folder: str) -> int:
    """One above the highest N of the folder's version_N."""
    paths = Path(folder).expanduser().glob("version_*")
    names = [path.name.split("_")[1] for path in paths if path.is_dir()]
    return max((int(name) for name in names if name.isdigit()), default=-1) + 1
