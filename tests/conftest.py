"""For every test: one thread a process, and a worker that it shares with its file's others."""

import os

import pytest

# two test workers and their processes share the cores
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a file's fixtures prepare is prepared once; the parity files share what theirs prepare."""
    for item in items:
        folder = item.path.parent
        shared = folder if folder.name == "parity" else item.path
        item.add_marker(pytest.mark.xdist_group(shared.stem))
