"""What a constructor is called with, as Lightning tells it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from ddpgen.strategies.loop.overridden import get_init_args
from lightning.pytorch.utilities.parsing import get_init_args as lightnings


class Base:
    def __init__(
        self, asked: Callable[[Any], dict[str, Any]], size: int = 3, *more: Any, **others: Any
    ) -> None:
        super().__init__()
        size += 1
        self.given = asked(inspect.currentframe())


class Derived(Base):
    def __init__(self, asked: Callable[[Any], dict[str, Any]], frame: str = "oak", **others: Any) -> None:
        super().__init__(asked, 5, "a", wide=True, **others)
        self.own = asked(inspect.currentframe())


class Without:
    def __init__(self, asked: Callable[[Any], dict[str, Any]], size: int = 3) -> None:
        self.given = asked(inspect.currentframe())


@pytest.mark.parametrize("kind", [Base, Derived, Without])
def test_arguments_are_lightnings(kind: Any) -> None:
    ours, theirs = kind(get_init_args), kind(lightnings)
    for name in vars(theirs):
        expected = {**getattr(theirs, name)}
        assert getattr(ours, name) == expected | ({"asked": get_init_args} if expected else {})
    assert bool(ours.given) is (kind is not Without)


def test_a_function_is_no_constructor() -> None:
    class Made:
        def make(self, size: int = 2) -> dict[str, Any]:
            assert __class__  # type: ignore[name-defined]  # Python has it in methods
            return get_init_args(inspect.currentframe())  # type: ignore[arg-type]  # there is one

    assert Made().make() == {}
