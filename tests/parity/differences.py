"""Where two results differ, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import torch

Row = dict[str, Any]


def first_difference(expected: Any, actual: Any, what: str) -> str | None:
    """The first place in which two nested values differ in any bit; None if there is none."""
    return next(_differences(expected, actual, what), None)


def _differences(expected: Any, actual: Any, where: str) -> Iterator[str]:
    if isinstance(expected, torch.Tensor):
        yield from _tensors(expected, actual, where)
    elif isinstance(expected, Mapping) and isinstance(actual, Mapping):
        if missing := expected.keys() - actual.keys():
            yield f"{where} lacks {sorted(map(str, missing))}"
        if extra := actual.keys() - expected.keys():
            yield f"{where} has {sorted(map(str, extra))} in addition"
        for key in expected:
            yield from _differences(expected[key], actual[key], f"{where}[{key!r}]")
    elif _is_list(expected) and _is_list(actual):
        for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
            yield from _differences(one, other, f"{where}[{index}]")
        if len(expected) != len(actual):
            yield f"{where} has {len(actual)} entries, not {len(expected)}"
    elif not _equal(expected, actual):
        yield f"{where} is {actual!r}, not {expected!r}"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _equal(expected: Any, actual: Any) -> bool:
    if isinstance(expected, float) and isinstance(actual, float) and math.isnan(expected):
        return math.isnan(actual)
    return bool(expected == actual)


def _tensors(expected: torch.Tensor, actual: Any, where: str) -> Iterator[str]:
    if not isinstance(actual, torch.Tensor) or (expected.shape, expected.dtype) != (
        actual.shape,
        actual.dtype,
    ):
        yield f"{where} is {actual!r}, not {expected!r}"
    elif not torch.equal(expected, actual) and not torch.equal(expected.isnan(), actual.isnan()):
        yield f"{where} has other NaNs"
    elif not torch.equal(expected.nan_to_num(), actual.nan_to_num()):
        distance = (expected.double() - actual.double()).abs().max().item()
        yield f"{where} is off by {distance:.3g}"


def rows_difference(expected: Sequence[Row], actual: Sequence[Row], names: tuple[str, str]) -> str | None:
    """The first metrics row that differs, with both rows under their owners' names."""
    for index, (one, other) in enumerate(zip_longest(expected, actual)):
        # Lightning leaves the epoch out where the module logs a `step` of its own, and for validation's steps
        if one and other and "epoch" not in one:
            other = {name: value for name, value in other.items() if name != "epoch"}
        if difference := first_difference(one, other, f"row {index}"):
            return f"{difference}\n    {names[0]}: {one}\n    {names[1]}: {other}"
    return None
