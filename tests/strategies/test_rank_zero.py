"""What rank 0 does for all, held against Lightning's functions of the same names."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import pytest
from ddpgen.strategies.distributed import rank_zero
from lightning.pytorch.utilities import rank_zero as lightnings
from lightning_utilities.core import rank_zero as rank_zero_module

SIDES = [rank_zero, lightnings]


@pytest.fixture(params=SIDES, ids=["script", "lightning"])
def side(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=[0, 1])
def rank(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("RANK", str(request.param))
    monkeypatch.setattr(lightnings.rank_zero_only, "rank", request.param)
    return int(request.param)


def test_rank_zero_only(side: Any, rank: int) -> None:
    def total(a: int, b: int = 1) -> int:
        """A sum."""
        return a + b

    once = side.rank_zero_only(total)
    assert once(1, b=2) == (3 if rank == 0 else None)
    assert (once.__name__, once.__doc__) == ("total", "A sum.")
    assert side.rank_zero_only(total, default=7)(1) == (2 if rank == 0 else 7)


def test_a_method_is_called_on_its_object(side: Any, rank: int) -> None:
    class Counter:
        count = 0

        @side.rank_zero_only  # type: ignore[untyped-decorator]  # of either side
        def add(self, number: int) -> None:
            self.count += number

    counter = Counter()
    counter.add(2)
    assert counter.count == (2 if rank == 0 else 0)


def test_info_is_printed(rank: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Lightning's goes through a logger that prints the message alone, to stderr."""
    rank_zero.rank_zero_info("%s of %s", 1, 2)
    rank_zero.rank_zero_info({"100%": "as it is"})
    assert capsys.readouterr().err == ("1 of 2\n{'100%': 'as it is'}\n" if rank == 0 else "")


def test_warnings(side: Any, rank: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        side.rank_zero_warn("careful", category=FutureWarning)
    assert [(str(w.message), w.category) for w in caught] == (
        [("careful", FutureWarning)] if rank == 0 else []
    )


def test_debugging(
    side: Any, rank: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Lightning gives its functions the logger of that of its packages which is imported last
    logger = logging.getLogger(rank_zero.__name__) if side is rank_zero else rank_zero_module.log
    # libraries that configure logging turn off the loggers that are there, or have them hand nothing on
    monkeypatch.setattr(logger, "disabled", False)
    monkeypatch.setattr(logger, "propagate", False)
    monkeypatch.setattr(logger, "handlers", [caplog.handler])
    with caplog.at_level(logging.DEBUG, logger=logger.name):
        side.rank_zero_debug("%s of %s", 1, 2)
    assert caplog.messages[:1] == (["1 of 2"] if rank == 0 else [])


def test_a_warning_names_the_line_that_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "0")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rank_zero.rank_zero_warn("careful")
    assert caught[0].filename == __file__
