"""Runs of MLflow."""

import os
import re
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlflow
import yaml
from mlflow.tracking.context.registry import resolve_tags

from ..checkpoints.hyperparameters import flatten_hyperparameters
from ..distributed.ranks import ranks_from_env
from ..loop.module import as_mapping
from .experiment import NoExperiment
from .logged_checkpoints import checkpoint_metadata, unlogged_checkpoints


class MLFlowLogger:
    """A run of MLflow, written by rank 0."""

    def __init__(
        self,
        experiment_name: str = "lightning_logs",
        run_name: str | None = None,
        tracking_uri: str | None = None,
        tags: dict[str, Any] | None = None,
        save_dir: str | None = "./mlruns",
        log_model: str | bool = False,
        prefix: str = "",
        artifact_location: str | None = None,
        run_id: str | None = None,
        synchronous: bool | None = None,
    ) -> None:
        uri = tracking_uri or os.environ.get("MLFLOW_TRACKING_URI")
        self.tracking_uri = uri or f"file:{save_dir}"
        self.experiment_name = experiment_name
        name_tag = {} if run_name is None else {"mlflow.runName": run_name}
        self.tags = {**(tags or {}), **name_tag}
        self.log_model = log_model
        self._prefix = prefix
        self.artifact_location = artifact_location
        self.given_run_id = run_id
        self.synchronous = synchronous
        self.is_main = ranks_from_env().rank == 0
        self.client: Any = NoExperiment()
        self.info: Any = None  # MLflow's own description of the run
        self.logged_at: dict[str, float] = {}  # by a checkpoint's path
        self.kept_checkpoints: Any = None  # to be logged at the end

    @property
    def experiment(self) -> Any:
        """MLflow's client; the run starts when it is first used."""
        if self.is_main and self.info is None:
            mlflow.set_tracking_uri(self.tracking_uri)
            self.client = mlflow.MlflowClient(self.tracking_uri)
            self.info = self.start_run().info
        return self.client

    def start_run(self) -> Any:
        """The run whose id was given, or a new one in the experiment of that name."""
        if self.given_run_id is not None:
            return self.client.get_run(self.given_run_id)
        found = self.client.get_experiment_by_name(self.experiment_name)
        if found is not None and found.lifecycle_stage != "deleted":
            experiment_id = found.experiment_id
        else:
            location = self.artifact_location
            name = self.experiment_name
            experiment_id = self.client.create_experiment(name, location)
        return self.client.create_run(experiment_id, tags=resolve_tags(self.tags))

    @property
    def run_id(self) -> str | None:
        """The run's id, on rank 0 alone."""
        return self.info.run_id if self.experiment and self.info else None

    @property
    def experiment_id(self) -> str | None:
        """The experiment's id, on rank 0 alone."""
        return self.info.experiment_id if self.experiment and self.info else None

    @property
    def _experiment_name(self) -> str:
        return self.experiment_name

    @property
    def _tracking_uri(self) -> str:
        return self.tracking_uri

    @property
    def _artifact_location(self) -> str | None:
        return self.artifact_location

    @property
    def _run_id(self) -> str | None:
        """The run's id, once it has one."""
        return self.info.run_id if self.info else self.given_run_id

    @property
    def root_dir(self) -> Any: ...

    @property
    def log_dir(self) -> Any: ...

    @property
    def name(self) -> str | None:
        return self.experiment_id

    @property
    def version(self) -> str | None:
        return self.run_id

    @property
    def save_dir(self) -> str | None:
        """The folder of runs that are kept in files."""
        is_local = self.tracking_uri.startswith("file:")
        return self.tracking_uri.removeprefix("file:") if is_local else None

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        if not self.is_main:
            return
        now = int(time.time() * 1000)
        logged = []
        if self._prefix:
            metrics = {f"{self._prefix}-{name}": metrics[name] for name in metrics}
        for name, value in metrics.items():
            key = allowed_name(name)
            if isinstance(value, str):
                warnings.warn(f"{key} is text, which is no metric", stacklevel=2)
            else:
                logged.append(mlflow.entities.Metric(key, value, now, step or 0))
        self.log_batch(metrics=logged)

    def log_hyperparams(self, params: Any) -> None:
        """Log `params`, in batches of as many as MLflow takes."""
        flat = flatten_hyperparameters(as_mapping(params))
        logged = [
            mlflow.entities.Param(name, str(value)[:250])
            for name, value in flat.items()
        ]
        for first in range(0, len(logged), 100):
            self.log_batch(params=logged[first : first + 100])

    def log_batch(self, **batch: Any) -> None:
        client, synchronous = self.experiment, self.synchronous
        client.log_batch(self.run_id, synchronous=synchronous, **batch)

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Graphs are not drawn."""

    def save(self) -> None:
        """MLflow writes by itself."""

    def after_save_checkpoint(self, checkpoints: Any) -> None:
        """Upload new checkpoints now, or the best and last ones at the end."""
        keeps_all = bool(self.log_model) and checkpoints.save_top_k == -1
        if self.log_model == "all" or keeps_all:
            self.log_checkpoints(checkpoints)
        elif self.log_model:
            self.kept_checkpoints = checkpoints

    def log_checkpoints(self, checkpoints: Any) -> None:
        if not self.is_main:
            return
        for written_at, path in unlogged_checkpoints(checkpoints, self.logged_at):
            folder = Path(path).stem
            metadata = yaml.dump(checkpoint_metadata(checkpoints, path, "Checkpoint"))
            is_best = path == checkpoints.best_model_path
            aliases = ["latest", "best"] if is_best else ["latest"]
            run_id, client = self.run_id, self.client
            client.log_artifact(run_id, path, folder)
            client.log_text(run_id, metadata, f"{folder}/metadata.yaml")
            client.log_text(run_id, str(aliases), f"{folder}/aliases.txt")
            self.logged_at[path] = written_at

    def finalize(self, status: str = "success") -> None:
        """End the run, with the checkpoints that it is to hold."""
        if self.info is None:
            return
        if self.kept_checkpoints is not None:
            self.log_checkpoints(self.kept_checkpoints)
        endings = {"success": "FINISHED", "finished": "FINISHED", "failed": "FAILED"}
        self.client.set_terminated(self.run_id, endings.get(status, status))


def allowed_name(name: str) -> str:
    """`name` without the characters that MLflow refuses."""
    allowed = re.sub("[^a-zA-Z0-9_/. -]+", "", name)
    if allowed != name:
        warnings.warn(f"MLflow takes no {name}: logged as {allowed}", stacklevel=3)
    return allowed
