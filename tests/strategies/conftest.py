"""For the tests of the runtime: two ranks, started once for all files of tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import two_ranks as pair


@pytest.fixture(scope="session")
def two_ranks(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[pair.Check], list[Any]]:
    """Gives what one of the functions `each_rank_…` of the selected tests' modules returned on rank 0 and on rank 1."""
    folder = tmp_path_factory.mktemp("two_ranks")
    items = [item for item in request.session.items if "two_ranks" in getattr(item, "fixturenames", ())]
    pair.run_checks(sorted({item.module.__name__ for item in items}), folder)
    return lambda check: pair.outcome(folder, check)
