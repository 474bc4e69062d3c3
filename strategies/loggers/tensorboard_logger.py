"""TensorBoard's event files."""

import os
import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from ..checkpoints.hyperparameters import (
    flatten_hyperparameters,
    text_of_scalars,
    write_hyperparameters,
)
from ..distributed.ranks import ranks_from_env
from ..loop.module import as_mapping
from .experiment import NoExperiment, next_version
from .files import atomic_write_text


class TensorBoardLogger:
    """Event files in `save_dir/name/version_N`, written by rank 0."""

    def __init__(
        self,
        save_dir: str | os.PathLike[str],
        name: str | None = "lightning_logs",
        version: int | str | None = None,
        log_graph: bool = False,
        default_hp_metric: bool = True,
        prefix: str = "",
        sub_dir: str | os.PathLike[str] | None = None,
        **writer_options: Any,
    ) -> None:
        self.save_dir = os.fspath(save_dir)
        self.name = name or ""
        self.root_dir = os.path.join(save_dir, name or "")
        if version is not None:
            self.version = version
        self._log_graph = log_graph
        self._default_hp_metric = default_hp_metric
        self._prefix = prefix
        self.sub_dir = None if sub_dir is None else os.fspath(sub_dir)
        self.writer_options = writer_options
        self.lends_experiment = True  # some code asks for it
        self.takes_anything = True  # some code logs more than numbers
        self.takes_objects = True  # hyperparameters may be more than numbers and texts
        self.is_main = ranks_from_env().rank == 0
        self._experiment: SummaryWriter | None = None
        self.hparams: dict[str, Any] = {}

    @cached_property
    def version(self) -> int | str:
        """The one given, or the next free number when it is first asked for."""
        return next_version(self.root_dir)

    @property
    def log_dir(self) -> str:
        version = self.version
        folder = version if isinstance(version, str) else f"version_{version}"
        path = os.path.join(self.root_dir, folder)
        if self.sub_dir is not None:
            path = os.path.join(path, self.sub_dir)
        return os.path.expanduser(os.path.expandvars(path))

    @property
    def experiment(self) -> Any:
        """TensorBoard's SummaryWriter, opened when it is first used."""
        if self.lends_experiment and not self.is_main:
            return NoExperiment()
        if self._experiment is None:
            self._experiment = SummaryWriter(self.log_dir, **self.writer_options)
        return self._experiment

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        if not self.is_main:
            return
        if self._prefix:
            metrics = {f"{self._prefix}-{name}": metrics[name] for name in metrics}
        for name, value in metrics.items():
            if not self.takes_anything:
                self.experiment.add_scalar(name, value, step)
            elif isinstance(value, dict):
                self.experiment.add_scalars(name, value, step)
            else:
                number = value.item() if isinstance(value, Tensor) else value
                self.experiment.add_scalar(name, number, step)

    def log_hyperparams(
        self, params: Any, metrics: Any = None, step: int | None = None
    ) -> None:
        """Keep `params` for hparams.yaml and show them beside `metrics`."""
        if not self.is_main:
            return
        if self.takes_objects:
            params = as_mapping(params)
        self.hparams.update(params)
        has_scores = self._default_hp_metric if metrics is None else metrics != {}
        if not has_scores:
            return
        scores: dict[str, Any] = {"hp_metric": -1}
        if metrics is not None:
            scores = metrics if isinstance(metrics, dict) else {"hp_metric": metrics}
        self.log_metrics(scores, step=step)
        if self.takes_objects:
            flat = flatten_hyperparameters(params)
            params = {name: as_shown(value) for name, value in flat.items()}
        summaries: Any = hparams  # torch gives it no types
        for summary in summaries(params, scores):
            self.experiment.file_writer.add_summary(summary, global_step=step)

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Draw the model as the input goes through it."""
        if not (self._log_graph and self.is_main):
            return
        if isinstance(input_array, Tensor | tuple):
            self.experiment.add_graph(model, input_array)
        else:
            warnings.warn("no graph is drawn: a tensor or a tuple is", stacklevel=2)

    def save(self) -> None:
        """Write what is buffered, and hparams.yaml once."""
        if not self.is_main:
            return
        self.experiment.flush()
        path = os.path.join(self.log_dir, "hparams.yaml")
        if self.takes_objects and not os.path.isfile(path):
            write_hyperparameters(path, self.hparams)
        if not self.takes_objects and not os.path.isfile(path):
            atomic_write_text(Path(path), text_of_scalars(self.hparams))

    def finalize(self, status: str) -> None:
        if self._experiment is not None:
            self._experiment.close()
        if status == "success":
            self.save()


def as_shown(value: Any) -> Any:
    """A hyperparameter that TensorBoard can show: a number, a vector or a text."""
    if isinstance(value, np.bool_ | np.integer | np.floating):
        value = value.item()
    is_vector = type(value) is Tensor and value.ndim <= 1
    is_primitive = type(value) in (bool, int, float, str)
    return value if is_vector or is_primitive else str(value)
