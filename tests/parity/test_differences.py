"""The comparison itself: it finds a single bit, and nothing where there is nothing."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from .differences import first_difference, rows_difference

NAN = float("nan")
WEIGHTS = torch.tensor([1.0, 2.0])


@pytest.mark.parametrize(
    ("expected", "actual", "message"),
    [
        ({"a": [1, 2.5]}, {"a": [1, 2.5000000000000004]}, "x['a'][1] is 2.5000000000000004, not 2.5"),
        ({"w": WEIGHTS}, {"w": torch.nextafter(WEIGHTS, WEIGHTS + 1)}, "x['w'] is off by 2.38e-07"),
        (WEIGHTS, WEIGHTS.double(), "x is tensor([1., 2.], dtype=torch.float64), not tensor([1., 2.])"),
        (WEIGHTS, torch.tensor([1.0, NAN]), "x has other NaNs"),
        ({"a": 1}, {}, "x lacks ['a']"),
        ({}, {"a": 1}, "x has ['a'] in addition"),
        ([1, 2], [1], "x has 1 entries, not 2"),
        (1.0, NAN, "x is nan, not 1.0"),
        ([1], None, "x is None, not [1]"),
    ],
)
def test_differences_are_found(expected: Any, actual: Any, message: str) -> None:
    assert first_difference(expected, actual, "x") == message


@pytest.mark.parametrize("value", [NAN, [NAN, (1, 2)], {"w": torch.tensor([NAN, 1.0])}, WEIGHTS, None])
def test_equal_values_do_not_differ(value: Any) -> None:
    assert first_difference(value, value, "x") is None


def test_rows_differ_in_number_and_order() -> None:
    rows = [{"step": 0, "epoch": 0, "loss": 1.0}, {"step": 0, "epoch": 0, "val": 2.0}]
    names = ("Lightning", "script")
    assert rows_difference(rows, rows, names) is None
    assert rows_difference(rows, rows[:1], names)
    assert rows_difference(rows[:1], rows, names)
    assert rows_difference(rows, rows[::-1], names)


def test_the_epoch_counts_where_lightning_names_it() -> None:
    with_epoch, without = [{"step": 1, "epoch": 3}], [{"step": 1}]
    assert rows_difference(without, with_epoch, ("", "")) is None
    assert rows_difference(with_epoch, without, ("", ""))
