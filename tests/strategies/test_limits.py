"""Limits that are known only when a script runs, as Lightning reads them (1.2, 1.3, 2.6, 13.1)."""

from __future__ import annotations

import math
import os
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from ddpgen.strategies.checkpoints.randomness import be_deterministic
from ddpgen.strategies.data.limits import (
    all_steps,
    clip_by,
    epochs_beside_steps,
    epochs_from,
    interval_in,
    interval_over_epochs,
    limited,
    limited_length,
    limited_lookahead,
    minima_met,
    sanity_steps,
    stream_interval,
    validation_interval,
)
from lightning.pytorch.loops.utilities import _parse_loop_limits
from torch import nn


@pytest.mark.parametrize("max_epochs", [None, -1, 0, 1, 7])
@pytest.mark.parametrize("max_steps", [-1, 0, 5])
def test_epochs_are_those_of_lightning(max_epochs: int | None, max_steps: int) -> None:
    epochs = list(islice(epochs_beside_steps(0, max_epochs, max_steps), 1001))
    if max_steps == -1:
        assert list(islice(epochs_from(0, max_epochs), 1001)) == epochs
    _, expected = _parse_loop_limits(None, max_steps, None, max_epochs, SimpleNamespace(callbacks=[]))
    assert len(epochs) == (1001 if expected == -1 else expected)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ((6, 3), 18),
        ((6, 3, 10), 10),
        ((6, -1), float("inf")),
        ((6, -1, 4), 4),
        ((6, None), 6000),
        ((6, 0), 6),
    ],
)
def test_all_steps(limits: tuple[Any, ...], expected: float) -> None:
    assert all_steps(*limits) == expected


def test_minima() -> None:
    assert minima_met(0, 0, None, None)
    assert not minima_met(0, 9, None, 3), "steps given, there is one epoch at least"
    assert minima_met(0, 9, 0, 3)
    assert not minima_met(1, 2, None, 3)
    assert not minima_met(1, 2, 2, None)


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, 10), (1.0, 10), (1, 1), (0.35, 3), (4.0, 4), (40, 10), (0, 0), (0.0, 0)]
)
def test_limits_of_batches(limit: float | None, expected: int) -> None:
    assert limited(10, limit) == expected


def test_a_share_that_is_no_batch() -> None:
    with pytest.raises(SystemExit, match=r"0.05 of 10 batches is not one"):
        limited(10, 0.05)
    assert limited(0, 0.05) == 0


@pytest.mark.parametrize(
    ("steps", "batches", "expected"), [(2, 5, 2), (9, 5, 5), (-1, 5, 5), (2, None, 2), (-1, None, None)]
)
def test_sanity_steps(steps: int, batches: int | None, expected: int | None) -> None:
    assert sanity_steps(steps, batches) == expected


@pytest.mark.parametrize(
    ("interval", "expected"), [(None, 10), (1.0, 10), (0.25, 2), (0.01, 1), (1, 1), (4, 4), (4.0, 4)]
)
def test_intervals_of_validation(interval: float | None, expected: int) -> None:
    assert validation_interval(interval, 10) == expected


def test_an_interval_longer_than_an_epoch() -> None:
    with pytest.raises(SystemExit, match="10 batches"):
        validation_interval(11, 10)


@pytest.mark.parametrize("interval", [None, 1.0, 0.5, 4.0])
def test_intervals_of_validation_on_a_stream(interval: float | None) -> None:
    assert stream_interval(4) == 4
    with pytest.raises(SystemExit, match="a stream has no length"):
        stream_interval(interval)


@pytest.mark.parametrize(
    ("loader", "interval", "batches", "expected"),
    [
        (range(10), 0.5, 10, 5),
        (range(10), None, 10, 10),
        (iter([]), None, math.inf, math.inf),
        (iter([]), 1.0, 6, math.inf),
        (iter([]), 1, math.inf, 1),
        (iter([]), 4, 6, 4),
    ],
)
def test_intervals_of_validation_where_there_may_be_a_stream(
    loader: Any, interval: float | None, batches: float, expected: float
) -> None:
    assert interval_in(loader, interval, batches) == expected


@pytest.mark.parametrize(
    ("interval", "batches", "what"), [(0.5, 6, "a stream has no length"), (7, 6, "6 batches")]
)
def test_intervals_of_validation_that_a_stream_has_not(interval: float, batches: float, what: str) -> None:
    with pytest.raises(SystemExit, match=what):
        interval_in(iter([]), interval, batches)


@pytest.mark.parametrize(
    ("algorithm", "largest"), [("value", 1.0), ("norm", 0.5), ("Value", 1.0), (None, 0.5)]
)
def test_clipping(algorithm: str | None, largest: float) -> None:
    parameter = nn.Parameter(torch.zeros(4))
    parameter.grad = torch.full((4,), 3.0)
    clip_by(algorithm)([parameter], 1.0)
    assert parameter.grad.max().item() == pytest.approx(largest)


def test_being_deterministic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    try:
        for mode in (None, False, True, "warn"):
            be_deterministic(mode)
            assert torch.are_deterministic_algorithms_enabled() == bool(mode)
            assert torch.is_deterministic_algorithms_warn_only_enabled() == (mode == "warn")
        assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, math.inf), (1.0, math.inf), (0, 0), (0.0, 0), (1, 1), (7, 7), (7.0, 7)]
)
def test_a_stream_is_read_up_to_a_number_of_batches(limit: float | None, expected: float) -> None:
    assert limited_length(iter(range(3)), limit) == expected


def test_a_share_of_a_stream_is_none() -> None:
    with pytest.raises(SystemExit, match=r"a stream has no length, of which 0\.5 could be a share"):
        limited_length(iter(range(3)), 0.5)
    assert limited_length(range(7), 0.5) == 3


@pytest.mark.parametrize(
    ("count", "last", "fetched"),
    [(math.inf, [False, False, True], [1, 2, 3, 3]), (2, [False, True], [0, 1, 2])],
)
def test_a_batch_is_fetched_ahead_where_that_is_the_only_way_to_know(
    count: float, last: list[bool], fetched: list[int]
) -> None:
    taken: list[int] = []
    pairs = limited_lookahead((taken.append(batch) or batch for batch in range(3)), count)
    counts = [len(taken)]
    assert [(is_last, counts.append(len(taken)))[0] for _, is_last in pairs] == last
    assert counts == fetched


@pytest.mark.parametrize(("interval", "expected"), [(None, 10), (1.0, 10), (1, 1), (25, 25)])
def test_batches_over_all_epochs(interval: float | None, expected: int) -> None:
    assert interval_over_epochs(interval, 10) == expected


def test_a_share_of_all_epochs() -> None:
    with pytest.raises(SystemExit, match=r"of which 0\.5 could be a share"):
        interval_over_epochs(0.5, 10)
