"""Parts of batches: what is in them, and what is logged of them."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest
import torch
from ddpgen.strategies.data.microbatches import microbatches, split_batch
from ddpgen.strategies.metrics.logs import Logs
from ddpgen.strategies.metrics.microbatch_logs import MicrobatchLogs
from torchmetrics import MeanMetric

Pair = namedtuple("Pair", ["x", "y"])

X, Y = torch.arange(10).reshape(5, 2), torch.arange(5)
NAMES = ["a", "b", "c", "d", "e"]


def plain(value: Any) -> Any:
    """The same, of lists for tensors."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        parts = [plain(each) for each in value]
        return type(value)(*parts) if isinstance(value, Pair) else type(value)(parts)
    return value


@pytest.mark.parametrize(
    ("batch", "first", "last"),
    [
        (Y, [0, 1], [4]),
        ([Y], [[0, 1]], [[4]]),
        ((X, Y), ([[0, 1], [2, 3]], [0, 1]), ([[8, 9]], [4])),
        (Pair(Y, Y), Pair([0, 1], [0, 1]), Pair([4], [4])),
        ({"y": Y, "names": NAMES}, {"y": [0, 1], "names": ["a", "b"]}, {"y": [4], "names": ["e"]}),
        ([Y, [Y, {"y": Y}]], [[0, 1], [[0, 1], {"y": [0, 1]}]], [[4], [[4], {"y": [4]}]]),
        ([Y, 0.5, None, torch.tensor(3)], [[0, 1], 0.5, None, 3], [[4], 0.5, None, 3]),
        ([Y, [torch.ones(each) for each in Y]], [[0, 1], [[], [1.0]]], [[4], [[1.0] * 4]]),
    ],
)
def test_parts_have_what_belongs_to_their_samples(batch: Any, first: Any, last: Any) -> None:
    parts = list(split_batch(batch, 2))
    assert [size for _, size in parts] == [2, 2, 1]
    assert plain(parts[0][0]) == first
    assert plain(parts[-1][0]) == last


@pytest.mark.parametrize(
    "batch",
    [
        (X, torch.ones(4)),
        [[torch.ones(3)], [torch.ones(4)]],
        [["a"], ["b"]],
        [torch.ones(2), [torch.ones(2), torch.ones(2)]],
        [torch.ones(2), [1, 2, 3]],
        [torch.ones(2), object()],
    ],
    ids=["lengths", "samples", "texts", "pairs", "a list of another length", "objects"],
)
def test_what_cannot_be_told_is_no_guess(batch: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="split batches yourself"):
        list(split_batch(batch, 2))


def test_shares() -> None:
    found = list(microbatches(split_batch(Y, 2)))
    assert [(share, is_last) for _, share, is_last in found] == [(0.4, False), (0.4, False), (0.2, True)]


def test_values_of_parts_are_one_of_the_batch() -> None:
    """As they are logged for a whole batch, whose means have another order of additions."""
    device = torch.device("cpu")
    whole, parted = Logs(training=True, device=device), MicrobatchLogs(training=True, device=device)
    metrics = MeanMetric(), MeanMetric()
    for batch in torch.rand(5), torch.rand(7):
        whole.batch = parted.batch = batch
        record(whole, batch, metrics[0])
        for part, share, _ in microbatches(split_batch(batch, 2)):
            parted.share = share
            record(parted, part, metrics[1])
        parted.join()
        torch.testing.assert_close(parted.step_values, whole.step_values)
    torch.testing.assert_close(parted.end_epoch(), whole.end_epoch())


def record(logs: Logs, values: torch.Tensor, metric: MeanMetric) -> None:
    logs("mean", values.mean(), on_step=True, on_epoch=True)
    logs("sized", values.mean().item(), on_step=True, on_epoch=True, batch_size=len(values))
    logs("sum", values.sum(), on_step=True, on_epoch=True, reduce_fx="sum")
    logs("max", values.max(), on_step=True, on_epoch=True, reduce_fx=torch.max)
    metric(values)
    logs("metric", metric, on_step=True, on_epoch=True)


def test_a_part_of_size_zero_weighs_nothing() -> None:
    logs = MicrobatchLogs(training=True, device=torch.device("cpu"))
    for sizes in (0, 0), (0, 3):
        for value, size in enumerate(sizes, start=1):
            logs.share = 0.5
            logs("value", value, on_step=False, on_epoch=True, batch_size=size)
        logs.join()
    assert logs.end_epoch() == {"value": 2.0}


def test_between_parts_values_are_logged_at_once() -> None:
    logs = MicrobatchLogs(training=True, device=torch.device("cpu"))
    logs("value", 3.0, on_step=True, on_epoch=False)
    assert logs.step_values == {"value": 3.0}
