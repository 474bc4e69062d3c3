"""For every test: one thread a process, and a worker that it shares with its file's others."""

import gc
import os

import pytest

# two test workers and their processes share the cores
os.environ.setdefault("OMP_NUM_THREADS", "1")

# syntax trees are many and small, and going through torch and Lightning takes a fifth of a second
gc.set_threshold(100_000, 50, 50)


@pytest.fixture(scope="session", autouse=True)
def _settings_end_here(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Black looks no further up for settings: whatever else lies in the temporary folder, tests are alone."""
    (tmp_path_factory.getbasetemp() / ".hg").mkdir(exist_ok=True)


# before xdist looks for groups
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a file's fixtures prepare is prepared once; some folders' files share what theirs prepare."""
    for item in items:
        folder = item.path.parent
        shared = folder if folder.name in ("parity", "strategies") else item.path
        item.add_marker(pytest.mark.xdist_group(shared.stem))
