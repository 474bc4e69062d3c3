"""Where metrics go."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from ddpgen.strategies.distributed.ranks import Ranks
from ddpgen.strategies.loggers.loggers import JsonlLogger, TensorBoardFile
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

MAIN, OTHER = Ranks(0, 0, 2), Ranks(1, 1, 2)
METRICS = {"loss": torch.tensor(0.25), "acc": torch.tensor(0.5, dtype=torch.float64)}


def rows(folder: Path) -> list[Any]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    events = EventAccumulator(str(folder))
    events.Reload()
    return {
        name: [(event.step, event.value) for event in events.Scalars(name)]
        for name in events.Tags()["scalars"]
    }


# ---- metrics.jsonl ---------------------------------------------------------------------------------------


def test_a_row_for_each_set_of_values_as_soon_as_it_is_written(tmp_path: Path) -> None:
    logger = JsonlLogger(tmp_path / "metrics.jsonl", MAIN)
    logger.write(METRICS, epoch=0, step=4)
    assert rows(tmp_path) == [{"epoch": 0, "step": 4, "loss": 0.25, "acc": 0.5}]
    logger.write({"loss": torch.tensor(2)}, epoch=1, step=9)
    assert rows(tmp_path)[1] == {"epoch": 1, "step": 9, "loss": 2}


def test_rows_of_epochs_that_are_trained_again_are_dropped(tmp_path: Path) -> None:
    stopped = JsonlLogger(tmp_path / "metrics.jsonl", MAIN)
    for epoch, step in ((0, 3), (1, 7), (2, 9)):
        stopped.write(METRICS, epoch, step)
    (tmp_path / "metrics.jsonl").open("a").write('{"epoch": 2, "st')  # killed as it wrote
    resumed = JsonlLogger(tmp_path / "metrics.jsonl", MAIN)
    resumed.drop_from(2)
    resumed.write(METRICS, 2, 11)
    assert [(row["epoch"], row["step"]) for row in rows(tmp_path)] == [(0, 3), (1, 7), (2, 11)]
    JsonlLogger(tmp_path / "metrics.jsonl", OTHER).drop_from(0)
    assert len(rows(tmp_path)) == 3


def test_rows_that_are_kept_are_never_away(tmp_path: Path) -> None:
    stopped = JsonlLogger(tmp_path / "metrics.jsonl", MAIN)
    for epoch in (0, 1, 0, 1, 2):  # of two runs, one after the other
        stopped.write(METRICS, epoch, 0)
    resumed = JsonlLogger(tmp_path / "metrics.jsonl", MAIN)
    resumed.drop_from(1)
    assert [row["epoch"] for row in rows(tmp_path)] == [0, 1, 0]
    resumed.drop_from(0)
    assert rows(tmp_path) == []


def test_all_digits_are_kept(tmp_path: Path) -> None:
    value = torch.tensor(1 / 3)
    JsonlLogger(tmp_path / "metrics.jsonl", MAIN).write({"x": value, "y": value.double() / 7}, 0, 0)
    (row,) = rows(tmp_path)
    assert torch.equal(torch.tensor(row["x"]), value)
    assert row["y"] == (value.double() / 7).item()


def test_what_is_not_finite_is_written_too(tmp_path: Path) -> None:
    JsonlLogger(tmp_path / "metrics.jsonl", MAIN).write(
        {"x": torch.tensor(float("nan")), "y": torch.tensor(float("inf"))}, 0, 0
    )
    (row,) = rows(tmp_path)
    assert row["x"] != row["x"]
    assert row["y"] == float("inf")


def test_a_resumed_run_goes_on_in_the_same_file(tmp_path: Path) -> None:
    for epoch in range(2):
        JsonlLogger(tmp_path / "metrics.jsonl", MAIN).write(METRICS, epoch, 0)
    assert [row["epoch"] for row in rows(tmp_path)] == [0, 1]


# ---- TensorBoard -----------------------------------------------------------------------------------------


def test_tensorboard_shows_the_values_at_their_steps(tmp_path: Path) -> None:
    logger = TensorBoardFile(tmp_path, MAIN)
    logger.write(METRICS, epoch=0, step=4)
    logger.write({"loss": torch.tensor(2)}, epoch=1, step=9)
    assert logger.writer is not None
    logger.writer.flush()
    assert scalars(tmp_path) == {"loss": [(4, 0.25), (9, 2.0)], "acc": [(4, 0.5)]}


SCRIPT = """
import time
from pathlib import Path

import torch
from ddpgen.strategies.loggers.loggers import TensorBoardFile
from ddpgen.strategies.distributed.ranks import Ranks
from tensorboard.summary.writer.record_writer import RecordWriter

write = RecordWriter.write
RecordWriter.write = lambda self, data: (time.sleep(0.01), write(self, data))  # a slow disk

logger = TensorBoardFile(Path("events"), Ranks(0, 0, 1))
for step in range(30):
    logger.write({"x": torch.tensor(float(step))}, 0, step)
"""


@pytest.mark.processes
def test_tensorboard_has_the_last_values_when_a_script_ends(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, check=True, timeout=120)
    assert scalars(tmp_path / "events") == {"x": [(step, float(step)) for step in range(30)]}


# ---- both ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [JsonlLogger, TensorBoardFile])
def test_other_ranks_write_nothing(tmp_path: Path, kind: Any) -> None:
    kind(tmp_path, OTHER).write(METRICS, 0, 0)
    assert list(tmp_path.iterdir()) == []


def test_no_row_for_no_values(tmp_path: Path) -> None:
    JsonlLogger(tmp_path / "metrics.jsonl", MAIN).write({}, 0, 0)
    assert rows(tmp_path) == []
