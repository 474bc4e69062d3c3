"""Where metrics are written to: one class each, with one method of one signature."""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils.tensorboard import SummaryWriter

from ..distributed.ranks import Ranks


class JsonlLogger:
    """A line for each set of values, written by rank 0."""

    def __init__(self, path: Path, ranks: Ranks) -> None:
        self.file = None if ranks.rank else path.open("ab+", 0)

    def write(self, metrics: dict[str, Tensor], epoch: int, step: int) -> None:
        if self.file and metrics:
            values = {name: value.item() for name, value in metrics.items()}
            row = {"epoch": epoch, "step": step, **values}
            self.file.write(json.dumps(row).encode() + b"\n")

    def drop_from(self, epoch: int) -> None:
        """Drop what a run that was stopped wrote of epochs that are trained again."""
        if self.file:
            self.file.seek(0)
            *rows, _ = self.file.readall().split(b"\n")
            while rows and json.loads(rows[-1])["epoch"] >= epoch:
                rows.pop()
            self.file.truncate(sum(len(row) + 1 for row in rows))

    def drop_steps_from(self, step: int) -> None:
        """Drop what a run that was stopped wrote of steps that are trained again."""
        if self.file:
            self.file.seek(0)
            *rows, _ = self.file.readall().split(b"\n")
            while rows and json.loads(rows[-1])["step"] >= step:
                rows.pop()
            self.file.truncate(sum(len(row) + 1 for row in rows))


class TensorBoardFile:
    """TensorBoard's event files, written by rank 0."""

    def __init__(self, folder: Path, ranks: Ranks) -> None:
        self.writer = SummaryWriter(folder) if ranks.rank == 0 else None

    def write(self, metrics: dict[str, Tensor], epoch: int, step: int) -> None:
        if self.writer:
            for name, value in metrics.items():
                self.writer.add_scalar(name, value, step)
            self.writer.flush()


class LoggerAdapter:
    """Gives a file of metrics the method by which callbacks log."""

    def __init__(self, writer: Any, trainer: Any) -> None:
        self.writer, self.trainer = writer, trainer

    def log_metrics(self, metrics: dict[str, Any], step: int) -> None:
        values = {
            name: torch.as_tensor(value, dtype=torch.float64)
            for name, value in metrics.items()
        }
        self.writer.write(values, self.trainer.current_epoch, step)
