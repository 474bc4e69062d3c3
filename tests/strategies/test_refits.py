"""A trainer trains once, or goes on."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ddpgen.strategies.loop.refits import require_epochs_left, require_first_fit


def test_equal_trainers_are_two() -> None:
    one, other = [1], [1]
    require_first_fit(one)
    require_first_fit(other)
    with pytest.raises(SystemExit, match="trained already"):
        require_first_fit(one)


def test_a_trainer_that_has_trained_for_all_of_its_epochs() -> None:
    config = SimpleNamespace(max_epochs=3)
    require_epochs_left(SimpleNamespace(current_epoch=2, config=config))
    with pytest.raises(SystemExit, match="all of its 3 epochs"):
        require_epochs_left(SimpleNamespace(current_epoch=3, config=config))
