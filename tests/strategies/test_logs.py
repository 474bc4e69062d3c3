"""`Logs` against Lightning: the same calls to both, the same names and, bit for bit, the same values (semantics 9)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import lightning as L
import numpy as np
import pytest
import torch
from ddpgen.strategies.distributed.ranks import Ranks
from ddpgen.strategies.metrics.logs import (
    EpochReduction,
    Logs,
    mean_over_ranks,
    over_ranks,
    reduction_name,
    sum_over_ranks,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lightning.pytorch.utilities.exceptions import MisconfigurationException
from lightning_logs import LightningLogs, OurLogs, same_value, same_values
from torch import Tensor
from torchmetrics import MeanMetric, Metric, SumMetric

Side = OurLogs | LightningLogs
Call = tuple[Any, dict[str, Any]]

CPU = torch.device("cpu")
SIZES = (3, 3, 1)
REDUCTIONS = ("mean", "sum", "min", "max")
BOTH = {"on_step": True, "on_epoch": True}

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*needs to be floating to be reduced"),
    pytest.mark.filterwarnings("ignore:.*It is recommended to use `self.log"),
    pytest.mark.filterwarnings("ignore:You called `self.log.*but have no logger configured"),
]


def play(
    side: Side, calls: dict[str, Call], at_end: dict[str, Call] | None = None, epochs: int = 2
) -> list[Any]:
    """All that comes out of some epochs in which every batch logs `calls`, and each epoch's end `at_end`."""
    shown: list[Any] = []
    for epoch in range(epochs):
        for batch_idx, size in enumerate(SIZES):
            side.start_batch(torch.zeros(size))
            for name, (value, options) in calls.items():
                side.log(name, value(epoch + batch_idx) if callable(value) else value, **options)
            shown.append(side.end_batch())
        side.end_batches()
        for name, (value, options) in (at_end or {}).items():
            side.log(name, value, **options)
        shown.append(side.end_epoch())
    return shown


def assert_alike(ours: list[Any], reference: list[Any], what: str = "log") -> None:
    assert len(ours) == len(reference)
    for index, (one, other) in enumerate(zip(ours, reference, strict=True)):
        alike = same_values if what == "log" else dict.__eq__
        assert alike(one[what], other[what]), f"{index}: {one[what]}, but Lightning has {other[what]}"


def is_alike(calls: dict[str, Call], at_end: dict[str, Call] | None = None, what: str = "log") -> None:
    for training in (True, False):
        ours, reference = OurLogs(training), LightningLogs(training)
        assert_alike(play(ours, calls, at_end), play(reference, calls, at_end), what)


def value_of(index: int) -> Tensor:
    return torch.tensor([0.1, 0.7, 1 / 3, 5.3][index])


# ---- values ----------------------------------------------------------------------------------------------

VALUES: dict[str, Any] = {
    "a tensor": value_of,
    "one element": lambda index: value_of(index).reshape(1, 1),
    "with a graph": lambda index: value_of(index).requires_grad_() * 2,
    "double": lambda index: value_of(index).double() / 3,
    "half": lambda index: value_of(index).half(),
    "bfloat16": lambda index: value_of(index).bfloat16(),
    "an integer tensor": lambda index: torch.tensor(index + 7),
    "a bool tensor": lambda index: torch.tensor(index % 2 == 0),
    "a large integer tensor": torch.tensor(2**24 + 1),
    "a float": lambda index: 0.1 * index,
    "an int": lambda index: index + 7,
    "a bool": True,
    "a large int": 2**24 + 1,
    "numpy's float32": lambda index: np.float32(0.1 * index),
    "numpy's float64": lambda index: np.float64(0.1 * index),
    "numpy's float16": np.float16(0.1),
    "numpy's int64": np.int64(3),
    "nan": math.nan,
    "inf": math.inf,
    "first single, then double": lambda index: value_of(index).double() if index else value_of(index),
    "first double, then single": lambda index: value_of(index) if index else value_of(index).double(),
    "first half, then an int": lambda index: index if index else value_of(index).half(),
}


@pytest.mark.parametrize("reduce_fx", REDUCTIONS)
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_values(value: Any, reduce_fx: str) -> None:
    """Semantics 9.2 and 9.3; the hooks' defaults, both forms, and each alone."""
    is_alike(
        {
            "default": (value, {"reduce_fx": reduce_fx}),
            "both": (value, {"reduce_fx": reduce_fx, **BOTH}),
            "step": (value, {"reduce_fx": reduce_fx, "on_step": True, "on_epoch": False}),
            "epoch": (value, {"reduce_fx": reduce_fx, "on_step": False, "on_epoch": True}),
        }
    )


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_values_at_the_epochs_end(value: Any) -> None:
    """Between batches a value weighs 1, and is the epoch's."""
    fixed = value(2) if callable(value) else value
    is_alike({"loss": (value_of, {})}, {"default": (fixed, {}), "again": (fixed, {"reduce_fx": "max"})})


@pytest.mark.parametrize("value", [torch.zeros(2), torch.zeros(0), {"a": 1}, "text", None], ids=repr)
def test_what_is_no_single_number_is_an_error(value: Any) -> None:
    for side in (OurLogs(True), LightningLogs(True)):
        side.start_batch(torch.zeros(3))
        with pytest.raises((RuntimeError, ValueError, TypeError)):
            side.log("x", value)


def test_double_precision_by_default() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        is_alike({"x": (1 / 3, BOTH), "y": (lambda index: torch.tensor(index / 3), BOTH)})
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("value", [torch.tensor(2**24 + 1), torch.tensor(0.1, dtype=torch.float16)], ids=str)
def test_other_tensors_under_double_precision(value: Tensor) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        is_alike({"x": (value, BOTH)})
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_numbers_under_half_precision(dtype: torch.dtype) -> None:
    """Semantics 9.2: the default dtype, but single precision at least."""
    torch.set_default_dtype(dtype)
    try:
        is_alike({"x": (0.1, BOTH)})
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(
    "options", [{}, BOTH, {"reduce_fx": "sum", **BOTH}, {"reduce_fx": "max", **BOTH}], ids=str
)
@pytest.mark.parametrize("side", [OurLogs, LightningLogs])
def test_later_changes_of_a_logged_tensor_change_nothing(side: Callable[[bool], Side], options: Any) -> None:
    logs, value = side(True), torch.tensor(2.0)
    logs.start_batch(torch.zeros(4))
    logs.log("x", value, **options)
    value.fill_(9)
    shown = list(logs.end_batch()["log"].values())
    logs.end_batches()
    shown += logs.end_epoch()["log"].values()
    assert {item.item() for item in shown} == {2}


@pytest.mark.parametrize("reduce_fx", ["mean", "sum", "min", "max"])
def test_nor_with_sync_dist(reduce_fx: str) -> None:
    logs, value = OurLogs(True), torch.tensor(2.0)
    logs.start_batch(torch.zeros(4))
    logs.log("x", value, sync_dist=True, reduce_fx=reduce_fx)
    value.fill_(9)
    assert logs.end_batch()["log"]["x"] == 2


def test_no_graph_is_kept() -> None:
    logs = OurLogs(True)
    logs.start_batch(torch.zeros(4))
    logs.log("x", torch.ones((), requires_grad=True) * 2, **BOTH)
    shown = [*logs.logs.step_values.values(), *logs.logs.end_epoch().values()]
    assert [value.requires_grad for value in shown] == [False, False]


# ---- weights ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [1, 7, 2.5, torch.tensor(5), None], ids=repr)
@pytest.mark.filterwarnings("ignore:To copy construct from a tensor")
def test_a_batch_size_of_ones_own(batch_size: Any) -> None:
    is_alike({"x": (value_of, {"batch_size": batch_size, **BOTH}), "y": (value_of, BOTH)})


@pytest.mark.parametrize("none", [0, torch.tensor(0)], ids=repr)
def test_a_batch_size_of_zero_weighs_nothing(none: Any) -> None:
    def play_one(side: Side) -> Any:
        for value, weight in ((1.0, none), (5.0, 2)):
            side.start_batch(torch.zeros(3))
            side.log("x", value, batch_size=weight, on_epoch=True, on_step=False)
            side.end_batch()
        side.end_batches()
        return side.end_epoch()["log"]

    assert same_values(play_one(OurLogs(True)), play_one(LightningLogs(True)))


def test_a_mean_is_weighted_by_batch_sizes() -> None:
    """(0.1 · 3 + 0.7 · 3 + 1/3 · 1) / 7, and not the mean of the three."""
    logs = OurLogs(False)
    *_, epoch = play(logs, {"x": (value_of, {})}, epochs=1)
    assert epoch["log"]["x"].item() == pytest.approx((0.3 + 2.1 + 1 / 3) / 7)


# ---- names -----------------------------------------------------------------------------------------------

NAMES: dict[str, dict[str, Call]] = {
    "forked": {"x": (value_of, BOTH)},
    "several": {
        "b": (value_of, {}),
        "a": (value_of, BOTH),
        "c": (value_of, {"on_step": False, "on_epoch": True}),
    },
    "hidden": {"x": (value_of, {"logger": False}), "y": (value_of, {"logger": True})},
    "hidden and forked": {"x": (value_of, {"logger": False, **BOTH}), "y": (value_of, BOTH)},
    "only on epoch": {
        "x": (value_of, {"on_epoch": True}),
        "y": (value_of, {"on_step": False, "on_epoch": True}),
    },
    "with a slash": {"train/loss": (value_of, BOTH)},
    "like a forked one": {"x_step": (value_of, {}), "x_epoch": (value_of, BOTH)},
    "options without effect": {
        "x": (value_of, {"enable_graph": True, "add_dataloader_idx": False, "rank_zero_only": True, **BOTH})
    },
}


@pytest.mark.parametrize("calls", NAMES.values(), ids=NAMES)
def test_names(calls: dict[str, Call]) -> None:
    """Semantics 9.1 and 9.4."""
    is_alike(calls)


def test_hiding_a_step_does_not_hide_what_is_called_like_its_epoch() -> None:
    calls: dict[str, Call] = {"loss": (value_of, {"logger": False})}
    ours, reference = OurLogs(True), LightningLogs(True)
    at_end: dict[str, Call] = {"loss_epoch": (4.0, {})}
    assert_alike(play(ours, calls, at_end), play(reference, calls, at_end))


def test_a_value_that_only_some_batches_log() -> None:
    """Its last value is logged again with the following steps, and not with the next epoch's (RES:`metrics`)."""

    def play_some(side: Side) -> list[Any]:
        shown = []
        for batch_idx in range(8):
            side.start_batch(torch.zeros(2))
            side.log("always", float(batch_idx))
            if batch_idx in (1, 6):
                side.log("seldom", float(batch_idx), **BOTH)
            shown.append(side.end_batch())
            if batch_idx == 3:
                side.end_batches()
                shown.append(side.end_epoch())
        return shown

    ours = play_some(OurLogs(True))
    assert ["seldom_step" in each["log"] for each in ours] == [
        False,
        True,
        True,
        True,
        False,
        False,
        False,
        True,
        True,
    ]
    assert_alike(ours, play_some(LightningLogs(True)))


@pytest.mark.parametrize("training", [True, False])
def test_nothing_logged(training: bool) -> None:
    assert play(OurLogs(training), {}) == play(LightningLogs(training), {})


# ---- the progress bar ------------------------------------------------------------------------------------

BARS: dict[str, dict[str, Call]] = {
    "some": {"x": (value_of, {"prog_bar": True}), "y": (value_of, {})},
    "forked": {"x": (value_of, {"prog_bar": True, **BOTH}), "y": (value_of, BOTH)},
    "none": {"x": (value_of, {})},
}


@pytest.mark.parametrize("calls", BARS.values(), ids=BARS)
def test_the_progress_bar_shows_what_lightnings_shows(calls: dict[str, Call]) -> None:
    is_alike(calls, what="bar")


def test_the_progress_bar_also_shows_what_is_not_logged() -> None:
    is_alike({"x": (value_of, {"prog_bar": True, "logger": False})}, what="bar")


def test_bar_values_are_numbers() -> None:
    shown = play(OurLogs(True), {"x": (value_of, {"prog_bar": True})}, epochs=1)
    assert [type(value) for value in shown[0]["bar"].values()] == [float]


# ---- what callbacks see ----------------------------------------------------------------------------------

WATCHED: dict[str, Call] = {
    "forked": (value_of, BOTH),
    "default": (value_of, {}),
    "epoch": (value_of, {"on_step": False, "on_epoch": True}),
    "hidden": (value_of, {"logger": False, **BOTH}),
}


def watched(training: bool, calls: dict[str, Call]) -> Iterator[tuple[dict[str, Tensor], dict[str, Tensor]]]:
    """What callbacks see with us and with Lightning, after every batch and every epoch."""
    ours, reference = OurLogs(training), LightningLogs(training)
    for epoch in range(2):
        for batch_idx, size in enumerate(SIZES):
            for side in (ours, reference):
                side.start_batch(torch.zeros(size))
                for name, (value, options) in calls.items():
                    side.log(name, value(epoch + batch_idx), **options)
                side.end_batch()
            yield ours.seen_by_callbacks, reference.seen_by_callbacks
        for side in (ours, reference):
            side.end_batches()
            side.end_epoch()
        yield ours.seen_by_callbacks, reference.seen_by_callbacks


def test_in_training_callbacks_see_the_steps_and_the_epochs_values() -> None:
    """Semantics 9.4 and 9.7."""
    for ours, reference in watched(True, WATCHED):
        assert same_values(ours, reference)


def test_after_validation_callbacks_see_the_epochs_values() -> None:
    for index, (ours, reference) in enumerate(watched(False, WATCHED)):
        if index % (len(SIZES) + 1) == len(SIZES):
            assert same_values({name: ours[name] for name in reference}, reference)


def test_in_validation_callbacks_do_not_see_steps() -> None:
    for ours, reference in watched(False, WATCHED):
        assert same_values(ours, reference)


@pytest.mark.parametrize("training", [True, False])
def test_callbacks_see_names_in_lightnings_order(training: bool) -> None:
    """A main that prints them shows the bare name of a value first, then those of its step and its epoch."""
    for ours, reference in watched(training, WATCHED):
        assert list(ours) == list(reference)


def test_stale_values_stay_for_callbacks() -> None:
    logs = OurLogs(True)
    play(logs, {"x": (value_of, {})}, epochs=1)
    play(logs, {"y": (value_of, {})}, epochs=1)
    assert logs.seen_by_callbacks["x"] == value_of(2)


# ---- reductions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reduce_fx", ["Mean", "AVG", "SUM", *(getattr(torch, n) for n in REDUCTIONS), sum, min, max]
)
def test_forms_of_a_reduction(reduce_fx: Any) -> None:
    is_alike({"x": (value_of, {"reduce_fx": reduce_fx, "on_step": False, "on_epoch": True})})


@pytest.mark.parametrize("reduce_fx", ["median", "", torch.std, len, lambda values: values])
def test_other_reductions_are_an_error(reduce_fx: Any) -> None:
    with pytest.raises(ValueError, match=r"self\.log\(\) reduces by mean, sum, min or max, not by"):
        reduction_name(reduce_fx)
    reference = LightningLogs(True)
    reference.start_batch(torch.zeros(3))
    with pytest.raises(MisconfigurationException):
        reference.log("x", 1.0, reduce_fx=reduce_fx)


def test_epoch_mean_is_a_sum_by_a_sum() -> None:
    logs = Logs(False, CPU)
    for value, logs.batch_size in ((1.0, 3), (2.0, 1)):
        logs("mean", torch.tensor(value), sync_dist=True)
    total, weight = logs.epoch_values["mean"]
    assert (total.item(), weight, logs.end_epoch()["mean"].item()) == (5, 4, 1.25)


@pytest.mark.parametrize(("reduce", "expected"), [("sum", 6.0), ("min", 1.0), ("max", 3.0)])
def test_epoch_reduction(reduce: str, expected: float) -> None:
    reduction = EpochReduction(reduce, sync=True)
    for value in (2.0, 1.0, 3.0):
        reduction.update(torch.tensor(value))
    assert reduction.compute() == expected


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_in_a_world_of_one_ranks_change_nothing(reduce: str) -> None:
    assert over_ranks(torch.tensor(2.5), reduce) == 2.5
    assert mean_over_ranks(torch.tensor(2.5)) == sum_over_ranks(torch.tensor(2.5)) == 2.5


# ---- random diaries --------------------------------------------------------------------------------------

options = st.fixed_dictionaries(
    {"reduce_fx": st.sampled_from(["mean", "sum", "min", "max"])},
    optional={
        "on_step": st.just(True),
        "on_epoch": st.just(True),
        "logger": st.booleans(),
        "prog_bar": st.booleans(),
        "batch_size": st.integers(1, 9),
    },
)
logged = st.one_of(
    st.floats(width=32),
    st.integers(-9, 9),
    st.floats(width=32).map(torch.tensor),
    st.floats().map(np.float64),
)
epochs = st.lists(
    st.lists(
        st.tuples(st.integers(1, 5), st.lists(st.tuples(st.sampled_from("abc"), logged), max_size=4)),
        max_size=4,
    ),
    max_size=3,
)


def write(side: Side, kinds: dict[str, Any], diary: Any) -> list[Any]:
    shown: list[Any] = []
    for batches in diary:
        for size, calls in batches:
            side.start_batch(torch.zeros(size))
            for name, value in calls:
                side.log(name, value, **kinds[name])
            shown.append(side.end_batch())
        side.end_batches()
        shown.append(side.end_epoch())
    return shown


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.booleans(), st.fixed_dictionaries(dict.fromkeys("abc", options)), epochs)
def test_whatever_is_logged(training: bool, kinds: dict[str, Any], diary: Any) -> None:
    """Values of batches as they come: finite or not, numbers or tensors, in any order."""
    with np.errstate(all="ignore"):
        ours, reference = write(OurLogs(training), kinds, diary), write(LightningLogs(training), kinds, diary)
    assert_alike(ours, reference)


# ---- torchmetrics ----------------------------------------------------------------------------------------


class Measured(L.LightningModule):
    """The model whose attributes the metrics are, which Lightning asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.mean, self.sum = MeanMetric(), SumMetric()


Use = Callable[[Metric, int], Any]
USES: dict[str, Use] = {
    "forward": lambda metric, index: metric(value_of(index)),
    "update": lambda metric, index: metric.update(value_of(index)),
}


def measure(side: Side, metrics: Measured, use: Use, **options: Any) -> list[Any]:
    shown = []
    for epoch in range(2):
        for batch_idx, size in enumerate(SIZES):
            side.start_batch(torch.zeros(size))
            for name in ("mean", "sum"):
                use(getattr(metrics, name), epoch + batch_idx)
                side.log(name, getattr(metrics, name), **options)
            side.log("loss", value_of(batch_idx), **BOTH)
            shown.append(side.end_batch())
        side.end_batches()
        shown.append(side.end_epoch())
    return shown


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    "options", [{}, BOTH, {"on_step": False, "on_epoch": True}, {"logger": False}], ids=str
)
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_metric_objects(use: Use, options: dict[str, Any], training: bool) -> None:
    """Semantics 9.6: the step's value is what `forward` gave, the epoch's is `compute()`, then they begin anew."""
    one, other = Measured(), Measured()
    reference = LightningLogs(training, other)
    ours = OurLogs(training)
    assert_alike(measure(ours, one, use, **options), measure(reference, other, use, **options))
    seen = reference.seen_by_callbacks
    assert all(same_value(ours.seen_by_callbacks[name], seen[name]) for name in seen)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_metric_objects_begin_anew_every_epoch(use: Use) -> None:
    metrics = Measured()
    measure(OurLogs(True), metrics, use, on_step=True, on_epoch=False)
    assert [metrics.mean.update_called, metrics.sum.update_called] == [False, False]


def test_a_metric_object_at_the_epochs_end() -> None:
    def play_end(side: Side, metrics: Measured) -> list[Any]:
        shown = []
        for epoch in range(2):
            for batch_idx in range(3):
                side.start_batch(torch.zeros(2))
                metrics.mean.update(value_of(epoch + batch_idx))
                shown.append(side.end_batch())
            side.end_batches()
            side.log("mean", metrics.mean)
            shown.append(side.end_epoch())
        return shown

    for training in (True, False):
        one, other = Measured(), Measured()
        assert_alike(play_end(OurLogs(training), one), play_end(LightningLogs(training, other), other))


# ---- two ranks -------------------------------------------------------------------------------------------

SYNCED: dict[str, dict[str, Any]] = {
    "mean": {"sync_dist": True, **BOTH},
    "sum": {"sync_dist": True, "reduce_fx": "sum", **BOTH},
    "min": {"sync_dist": True, "reduce_fx": "min", **BOTH},
    "max": {"sync_dist": True, "reduce_fx": "max", **BOTH},
    "own": BOTH,
    "alone": {"sync_dist": True, "rank_zero_only": True, **BOTH},
    "default": {"sync_dist": True},
    "int": {"sync_dist": True, "batch_size": 2, **BOTH},
}


def play_ranks(side: Side, rank: int, sizes: tuple[int, ...]) -> list[Any]:
    shown: list[Any] = []
    for epoch in range(2):
        for batch_idx, size in enumerate(sizes):
            side.start_batch(torch.zeros(size))
            for name, kind in SYNCED.items():
                value = value_of(epoch + batch_idx) * (rank + 1)
                side.log(name, int(value * 10) if name == "int" else value, **kind)
            shown.append(side.end_batch())
        side.end_batches()
        side.log("at_end", rank + epoch / 3, sync_dist=True)
        shown.append(side.end_epoch())
    return shown


def each_rank_log(ranks: Ranks) -> dict[str, Any]:
    found = {}
    for training in (True, False):
        ours, reference = OurLogs(training), LightningLogs(training, distributed=True)
        found[training] = [play_ranks(side, ranks.rank, SIZES) for side in (ours, reference)]
    return found


@pytest.mark.processes
@pytest.mark.parametrize("training", [True, False])
def test_values_over_two_ranks(two_ranks: Any, training: bool) -> None:
    """Semantics 9.5, with batches of the same sizes on both ranks."""
    for found in two_ranks(each_rank_log):
        assert_alike(*found[training])


@pytest.mark.processes
def test_the_ranks_agree_on_what_is_synced(two_ranks: Any) -> None:
    (one, _), (other, _) = (found[True] for found in two_ranks(each_rank_log))
    for shown, also in zip(one, other, strict=True):
        for name, value in shown["log"].items():
            is_own = name.startswith(("own", "alone"))
            assert torch.equal(value, also["log"][name]) is not is_own


def each_rank_log_uneven(ranks: Ranks) -> list[dict[str, Tensor]]:
    """Means over a batch of three on one rank, and one of four on the other."""
    found = []
    for side in (OurLogs(False), LightningLogs(False, distributed=True)):
        side.start_batch(torch.zeros(3 + ranks.rank))
        side.log("one", 1.0, sync_dist=True)
        side.log("rank", float(ranks.rank), sync_dist=True)
        side.end_batch()
        side.end_batches()
        found.append(side.end_epoch()["log"])
    return found


@pytest.mark.processes
def test_with_uneven_batches_we_are_right_where_lightning_is_not(two_ranks: Any) -> None:
    """Semantics 9.5 and D2: Lightning's weights are whole numbers, and floored: 1.1667 for a mean of ones."""
    for ours, reference in two_ranks(each_rank_log_uneven):
        assert ours["one"] == 1
        assert ours["rank"].item() == pytest.approx(4 / 7)
        assert reference["one"].item() == pytest.approx(7 / 6)


def each_rank_measure(ranks: Ranks) -> list[Any]:
    """Metric objects, of which each rank feeds its own values."""
    found = []
    for side, metrics in ((OurLogs(False), Measured()), (LightningLogs(False), Measured())):
        if isinstance(side, LightningLogs):
            side = LightningLogs(False, metrics, distributed=True)
        use = partial(_feed, rank=ranks.rank)
        found.append(measure(side, metrics, use, on_step=False, on_epoch=True))
    return found


def _feed(metric: Metric, index: int, rank: int) -> None:
    metric.update(value_of(index) * (rank + 1))


@pytest.mark.processes
def test_metric_objects_over_two_ranks(two_ranks: Any) -> None:
    """They reduce over the ranks by themselves."""
    (ours, reference), (also, _) = two_ranks(each_rank_measure)
    assert_alike(ours, reference)
    for one, other in zip(ours, also, strict=True):
        if "mean" in one["log"]:
            assert torch.equal(one["log"]["mean"], other["log"]["mean"])


def each_rank_reduce(ranks: Ranks) -> dict[str, Any]:
    value = torch.tensor(2.0 + 3 * ranks.rank)
    found: dict[str, Any] = {name: over_ranks(value, name) for name in ("mean", "sum", "min", "max")}
    found["whole"] = sum_over_ranks(torch.tensor(3 + ranks.rank))
    found["after"] = value
    return found


@pytest.mark.processes
def test_reductions_over_two_ranks(two_ranks: Any) -> None:
    for rank, found in enumerate(two_ranks(each_rank_reduce)):
        values = {name: value.item() for name, value in found.items()}
        assert values == {"mean": 3.5, "sum": 7, "min": 2, "max": 5, "whole": 7, "after": 2 + 3 * rank}


def test_steps_are_not_synced_where_no_call_asks_for_it() -> None:
    class Quiet(Logs):
        syncs_steps = False

    logs = Quiet(True, CPU)
    logs.batch_size = 3
    logs("x", 2.0, sync_dist=True)
    assert logs.step_values == {"x": torch.tensor(2.0)}


# ---- what is asked for only where it is needed -----------------------------------------------------------


def test_the_size_of_a_batch_is_looked_for_where_a_mean_asks() -> None:
    """Semantics 9.3."""
    logs = Logs(True, CPU)
    logs.batch = object()
    logs("step", 1.0)
    logs("largest", 2.0, on_epoch=True, reduce_fx="max")
    logs("weighed", 3.0, on_epoch=True, batch_size=2)
    with pytest.raises(ValueError, match=r"give self.log\(\) a batch_size"):
        logs("mean", 4.0, on_epoch=True)


def test_a_batch_weighs_as_much_as_its_first_tensor_is_long() -> None:
    logs = Logs(True, CPU)
    for size, value in ((3, 1.0), (1, 5.0)):
        logs.batch = {"x": torch.zeros(size, 2)}
        logs("mean", value, on_epoch=True)
    logs.batch = None
    logs("late", 1.0)
    assert logs.end_epoch()["mean_epoch"] == 2.0


def seen_at_the_end(side: Side) -> list[Any]:
    """What the hook at the epoch's end reads of its trainer's callback_metrics, and what is logged then."""
    for value in (1.0, 4.0):
        side.start_batch(torch.zeros(2))
        side.log("loss", value, **BOTH)
        side.log("largest", value, on_step=False, on_epoch=True, reduce_fx="max")
        side.end_batch()
    found = [dict(side.read_by_callbacks())]
    side.end_batches()
    found.append(dict(side.read_by_callbacks()))
    side.log("late", 7.0)
    found.append(dict(side.read_by_callbacks()))
    return [*found, side.end_epoch()["log"]]


def test_an_epochs_values_are_there_in_the_hooks_at_its_end() -> None:
    """Semantics 9.4: Lightning computes them when they are read."""
    ours, lightnings = seen_at_the_end(OurLogs(True)), seen_at_the_end(LightningLogs(True))
    assert ours[1]["loss_epoch"] == 2.5
    assert all(map(same_values, ours, lightnings))


def test_reading_computes_each_value_once() -> None:
    """Else one rank that reads more often than the others would be ahead of them in collectives."""
    logs = Logs(True, CPU)
    logs.epoch_values["x"] = torch.tensor(6.0), 3
    logs.bare_names["x"] = "x"
    first = logs.callback_metrics()["x"]
    assert logs.callback_metrics()["x"] is first
    assert logs.end_epoch()["x"] is first
