"""What a script is made for, where code of the user's may hand it something else."""

from __future__ import annotations

import pytest
from ddpgen.strategies.loop.classes import require_class


def test_a_class_is_told_from_those_that_derive_from_it() -> None:
    require_class(True, "bool")
    with pytest.raises(SystemExit, match="for int, not for bool"):
        require_class(True, "int")
