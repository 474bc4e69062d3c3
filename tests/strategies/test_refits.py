"""A trainer trains once, or goes on."""

from __future__ import annotations

import pytest
from ddpgen.strategies.loop.refits import require_first_fit


def test_equal_trainers_are_two() -> None:
    one, other = [1], [1]
    require_first_fit(one)
    require_first_fit(other)
    with pytest.raises(SystemExit, match="trained already"):
        require_first_fit(one)
