"""Experiments of Comet."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal

from ..distributed.ranks import ranks_from_env
from ..loop.module import as_mapping
from .experiment import NoExperiment


class CometLogger:
    """An experiment of Comet, written by rank 0."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        workspace: str | None = None,
        project: str | None = None,
        experiment_key: str | None = None,
        mode: Literal["get_or_create", "get", "create"] | None = None,
        online: bool | None = None,
        prefix: str | None = None,
        **options: Any,
    ) -> None:
        former = {"experiment_name": "name", "save_dir": "offline_directory"}
        for name in former.keys() & options.keys():
            options.setdefault(former[name], options.pop(name))
        self.start_options: dict[str, Any] = {
            "api_key": api_key,
            "workspace": workspace,
            "project": project or options.pop("project_name", None),
            "experiment_key": experiment_key,
            "mode": mode,
            "online": options.pop("offline", None) if online is None else online,
        }
        self._prefix = prefix
        self.is_main = ranks_from_env().rank == 0
        self.started: Any = None
        # comet_ml would also log by itself what it sees of torch
        os.environ["COMET_DISABLE_AUTO_LOGGING"] = "1"
        self.comet: Any = import_module("comet_ml")
        if online is False:
            options["disabled"] = True
        self.config = self.comet.ExperimentConfig(**options)
        _ = self.experiment  # which it starts at once

    @property
    def experiment(self) -> Any:
        """Comet's experiment: the one that was started, on rank 0 alone."""
        if not self.is_main:
            return NoExperiment()
        if self.started is None:
            options = self.start_options
            self.started = self.comet.start(**options, experiment_config=self.config)
            self.started.log_other("Created from", "pytorch-lightning")
        return self.started

    @property
    def root_dir(self) -> Any: ...

    @property
    def log_dir(self) -> Any: ...

    @property
    def name(self) -> Any:
        """The project's name; the experiment's is `experiment.name`."""
        return (
            self.started.project_name if self.started else self.start_options["project"]
        )

    @property
    def version(self) -> Any:
        """The experiment's key, on rank 0 alone."""
        return self.started.get_key() if self.started else None

    @property
    def save_dir(self) -> Any:
        """The folder of experiments that are kept in files."""
        return self.config.offline_directory

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        values, prefix = dict(metrics), self._prefix
        epoch = values.pop("epoch", None)
        self.experiment.log_metrics(values, prefix=prefix, step=step, epoch=epoch)

    def log_hyperparams(self, params: Any) -> None:
        self.experiment.log_parameters(as_mapping(params))

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Show the model's layers, as text."""
        self.experiment.set_model_graph(model, overwrite=True)

    def save(self) -> None:
        """Comet writes by itself."""

    def after_save_checkpoint(self, checkpoints: Any) -> None:
        """Checkpoints are not uploaded."""

    def finalize(self, status: str) -> None:
        """Upload what is waiting; the experiment goes on until Python ends."""
        self.experiment.flush()
