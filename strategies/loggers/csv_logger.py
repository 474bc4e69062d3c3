"""Metrics in a CSV file."""

import csv
import os
import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from torch import Tensor

from ..checkpoints.hyperparameters import write_hyperparameters
from ..distributed.ranks import ranks_from_env
from ..loop.module import as_mapping
from .experiment import NoExperiment, next_version
from .files import atomic_write


class MetricsFile:
    """metrics.csv: a row for each set of values, a column for each name."""

    def __init__(self, log_dir: str) -> None:
        self.log_dir = log_dir
        self.metrics_file_path = os.path.join(log_dir, "metrics.csv")
        self.metrics: list[dict[str, Any]] = []  # rows that are not written yet
        self.metrics_keys: list[str] = []  # the columns
        self.hparams: dict[str, Any] = {}
        os.makedirs(log_dir, exist_ok=True)
        if os.path.isfile(self.metrics_file_path):
            warnings.warn(
                f"the metrics in {self.metrics_file_path} are deleted", stacklevel=2
            )
            os.remove(self.metrics_file_path)

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        row = {
            name: value.item() if isinstance(value, Tensor) else value
            for name, value in metrics.items()
        }
        step = len(self.metrics) if step is None else step
        self.metrics.append({**row, "step": step})

    def log_hparams(self, params: Mapping[str, Any]) -> None:
        self.hparams.update(params)
        path = os.path.join(self.log_dir, "hparams.yaml")
        write_hyperparameters(path, self.hparams)

    def save(self) -> None:
        """Append the rows; new columns make the file anew."""
        if not self.metrics:
            return
        rows, self.metrics = self.metrics, []
        new = {name for row in rows for name in row} - set(self.metrics_keys)
        if new:
            rows = self.written_rows() + rows
            self.metrics_keys = sorted([*self.metrics_keys, *new])
        path = Path(self.metrics_file_path)
        whole = atomic_write(path) if new else path.open("a", newline="")
        with whole as file:
            writer = csv.DictWriter(file, self.metrics_keys)
            if new:
                writer.writeheader()
            writer.writerows(rows)

    def written_rows(self) -> list[dict[str, Any]]:
        if not os.path.exists(self.metrics_file_path):
            return []
        with open(self.metrics_file_path, newline="") as file:
            return list(csv.DictReader(file))


class CSVLogger:
    """metrics.csv and hparams.yaml in `save_dir/name/version_N`, written by rank 0."""

    def __init__(
        self,
        save_dir: str | os.PathLike[str],
        name: str | None = "lightning_logs",
        version: int | str | None = None,
        prefix: str = "",
        flush_logs_every_n_steps: int = 100,
    ) -> None:
        self.save_dir = os.fspath(save_dir)
        self.name = name or ""
        self.root_dir = os.path.join(save_dir, name or "")
        if version is not None:
            self.version = version
        self._prefix = prefix
        self.flush_logs_every_n_steps = flush_logs_every_n_steps
        self.is_main = ranks_from_env().rank == 0
        self.file: MetricsFile | None = None

    @cached_property
    def version(self) -> int | str:
        """The one given, or the next free number when it is first asked for."""
        return next_version(self.root_dir)

    @property
    def log_dir(self) -> str:
        version = self.version
        folder = version if isinstance(version, str) else f"version_{version}"
        return os.path.join(self.root_dir, folder)

    @property
    def experiment(self) -> Any:
        """The file of metrics, made when it is first used."""
        if not self.is_main:
            return NoExperiment()
        if self.file is None:
            self.file = MetricsFile(self.log_dir)
        return self.file

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        if not self.is_main:
            return
        if self._prefix:
            metrics = {f"{self._prefix}-{name}": metrics[name] for name in metrics}
        if step is None:
            step = len(self.experiment.metrics)
        self.experiment.log_metrics(metrics, step)
        if (step + 1) % self.flush_logs_every_n_steps == 0:
            self.save()

    def log_hyperparams(self, params: Any) -> None:
        self.experiment.log_hparams(as_mapping(params))

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Graphs are not drawn."""

    def save(self) -> None:
        self.experiment.save()

    def finalize(self, status: str) -> None:
        if self.file is not None:
            self.save()
