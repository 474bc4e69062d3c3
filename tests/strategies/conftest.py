"""For the tests of the runtime: two ranks, started once for each file of tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import two_ranks as pair


@pytest.fixture(scope="module")
def two_ranks(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[pair.Check], list[Any]]:
    """Gives what one of the module's functions `each_rank_…` returned on rank 0 and on rank 1."""
    folder = tmp_path_factory.mktemp("two_ranks")
    pair.run_checks(request.module.__name__, folder)
    return lambda check: pair.outcome(folder, check)
