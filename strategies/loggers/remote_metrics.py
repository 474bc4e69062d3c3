"""Metrics in a place where files are not appended to."""

import json

from torch import Tensor

from ..checkpoints.remote import RemotePath
from ..distributed.ranks import Ranks


class RemoteJsonlLogger:
    """A line for each set of values, written by rank 0 with each checkpoint."""

    def __init__(self, path: RemotePath, ranks: Ranks) -> None:
        self.path, self.is_first = path, ranks.rank == 0
        was_there = self.is_first and self.path.exists()
        self.rows = self.path.read_text().splitlines() if was_there else []

    def write(self, metrics: dict[str, Tensor], epoch: int, step: int) -> None:
        if self.is_first and metrics:
            values = {name: value.item() for name, value in metrics.items()}
            self.rows.append(json.dumps({"epoch": epoch, "step": step, **values}))

    def drop_from(self, epoch: int) -> None:
        """Drop what a run that was stopped wrote of epochs that are trained again."""
        while self.rows and json.loads(self.rows[-1])["epoch"] >= epoch:
            self.rows.pop()

    def drop_steps_from(self, step: int) -> None:
        """Drop what a run that was stopped wrote of steps that are trained again."""
        while self.rows and json.loads(self.rows[-1])["step"] >= step:
            self.rows.pop()

    def save(self) -> None:
        """Write all rows, with the next checkpoint of this run."""
        if self.is_first:
            text = "".join(f"{row}\n" for row in self.rows)
            try:
                self.path.write_text(text)
            except OSError as error:
                raise SystemExit(f"cannot write {self.path}: {error}") from None
