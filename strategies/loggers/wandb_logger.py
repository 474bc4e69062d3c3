"""Runs of Weights & Biases."""

import json
import os
from collections.abc import Mapping
from typing import Any, Literal

import wandb

from ..distributed.ranks import ranks_from_env
from ..loop.module import as_mapping
from .experiment import NoExperiment
from .logged_checkpoints import checkpoint_metadata, unlogged_checkpoints


class WandbLogger:
    """A run of Weights & Biases, written by rank 0."""

    def __init__(
        self,
        name: str | None = None,
        save_dir: str | os.PathLike[str] | None = ".",
        version: str | None = None,
        offline: bool = False,
        dir: str | os.PathLike[str] | None = None,
        id: str | None = None,
        anonymous: bool | None = None,
        project: str | None = None,
        log_model: str | bool = False,
        experiment: Any = None,
        prefix: str = "",
        checkpoint_name: str | None = None,
        add_file_policy: Literal["mutable", "immutable"] = "mutable",
        **init_options: Any,
    ) -> None:
        if offline and log_model:
            raise ValueError("log_model uploads checkpoints, which offline cannot")
        folder = save_dir or dir
        self._wandb_init: dict[str, Any] = {
            "name": name,
            "project": project or os.environ.get("WANDB_PROJECT", "lightning_logs"),
            "dir": folder and os.fspath(folder),
            "id": version or id,
            "resume": "allow",
        }
        if anonymous:
            self._wandb_init["anonymous"] = "allow"
        if offline:
            self._wandb_init["mode"] = "offline"
        self._wandb_init.update(init_options)
        self._save_dir = self._wandb_init["dir"]
        self.log_model = log_model
        self.run = experiment
        self._prefix = prefix
        self.checkpoint_name = checkpoint_name
        self.add_file_policy = add_file_policy
        self.is_main = ranks_from_env().rank == 0
        self.logged_at: dict[str, float] = {}  # by a checkpoint's path
        self.kept_checkpoints: dict[int, Any] = {}  # to be logged at the end

    @property
    def root_dir(self) -> Any: ...

    @property
    def log_dir(self) -> Any: ...

    @property
    def name(self) -> Any:
        """The project's name; the run's is `experiment.name`."""
        return self._wandb_init["project"]

    @property
    def _name(self) -> Any:
        """The run's name, as it was asked for."""
        return self._wandb_init["name"]

    @property
    def _project(self) -> Any:
        return self._wandb_init["project"]

    @property
    def _id(self) -> Any:
        """The run's id, as it was asked for."""
        return self._wandb_init["id"]

    @property
    def version(self) -> Any:
        """The run's id."""
        return self.run.id if self.run else self._wandb_init["id"]

    @property
    def save_dir(self) -> Any:
        return self._save_dir

    @property
    def experiment(self) -> Any:
        """wandb's run: the one in progress, or a new one when it is first used."""
        if not self.is_main:
            return NoExperiment()
        if self.run is None:
            self.run = wandb.run or self.start_run()
        return self.run

    def start_run(self) -> Any:
        run = wandb.init(**self._wandb_init)
        if self._wandb_init.get("sync_tensorboard"):
            run.define_metric("*", step_metric="global_step")
        else:
            run.define_metric("trainer/global_step")
            run.define_metric("*", step_metric="trainer/global_step", step_sync=True)
        return run

    def watch(
        self,
        model: Any,
        log: str | None = "gradients",
        log_freq: int = 100,
        log_graph: bool = True,
    ) -> None:
        self.experiment.watch(model, log=log, log_freq=log_freq, log_graph=log_graph)

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        if not self.is_main:
            return
        if self._prefix:
            metrics = {f"{self._prefix}-{name}": metrics[name] for name in metrics}
        if step is not None and not self._wandb_init.get("sync_tensorboard"):
            metrics = {**metrics, "trainer/global_step": step}
        self.experiment.log(metrics)

    def log_hyperparams(self, params: Any) -> None:
        if not self.is_main:
            return
        config = {name: as_json(value) for name, value in as_mapping(params).items()}
        self.experiment.config.update(config, allow_val_change=True)

    def log_image(
        self, key: str, images: list[Any], step: int | None = None, **options: Any
    ) -> None:
        """Images, of which each option has a list, such as `caption`."""
        if self.is_main:
            shown = each_with_options(wandb.Image, images, options)
            self.log_metrics({key: shown}, step)

    def log_audio(
        self, key: str, audios: list[Any], step: int | None = None, **options: Any
    ) -> None:
        """The same of sounds."""
        if self.is_main:
            shown = each_with_options(wandb.Audio, audios, options)
            self.log_metrics({key: shown}, step)

    def log_video(
        self, key: str, videos: list[Any], step: int | None = None, **options: Any
    ) -> None:
        """The same of videos."""
        if self.is_main:
            shown = each_with_options(wandb.Video, videos, options)
            self.log_metrics({key: shown}, step)

    def log_text(self, key: str, *columns: Any, **table: Any) -> None:
        """Texts, as a table."""
        self.log_table(key, *columns, **table)

    def log_table(
        self,
        key: str,
        columns: list[str | int] | None = None,
        data: list[list[Any]] | None = None,
        dataframe: Any = None,
        step: int | None = None,
    ) -> None:
        """A table, given by its columns and rows or as pandas' data frame."""
        if self.is_main:
            table = wandb.Table(columns=columns, data=data, dataframe=dataframe)
            self.log_metrics({key: table}, step)

    def use_artifact(self, artifact: str, artifact_type: str | None = None) -> Any:
        """Note that the run uses an artifact."""
        return self.experiment.use_artifact(artifact, type=artifact_type)

    @staticmethod
    def download_artifact(
        artifact: str,
        save_dir: str | os.PathLike[str] | None = None,
        artifact_type: str | None = None,
        use_artifact: bool = True,
    ) -> Any:
        """Fetch an artifact, of which the run notes that it uses it; rank 0 has its folder."""
        if ranks_from_env().rank != 0:
            return None
        if wandb.run is not None and use_artifact:
            found = wandb.run.use_artifact(artifact)
        else:
            found = wandb.Api().artifact(artifact, type=artifact_type)
        return found.download(root=save_dir and os.fspath(save_dir))

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Graphs are not drawn."""

    def save(self) -> None:
        """wandb writes by itself."""

    def after_save_checkpoint(self, checkpoints: Any) -> None:
        """Upload new checkpoints now, or the best and last ones at the end."""
        keeps_all = bool(self.log_model) and checkpoints.save_top_k == -1
        if self.log_model == "all" or keeps_all:
            self.log_checkpoints(checkpoints)
        elif self.log_model:
            self.kept_checkpoints[id(checkpoints)] = checkpoints

    def log_checkpoints(self, checkpoints: Any) -> None:
        if not self.is_main:
            return
        name = self.checkpoint_name or f"model-{self.experiment.id}"
        for written_at, path in unlogged_checkpoints(checkpoints, self.logged_at):
            kind = type(checkpoints).__name__
            metadata = checkpoint_metadata(checkpoints, path, kind)
            artifact = wandb.Artifact(name, type="model", metadata=metadata)
            policy = self.add_file_policy
            artifact.add_file(path, name="model.ckpt", policy=policy)
            is_best = path == checkpoints.best_model_path
            aliases = ["latest", "best"] if is_best else ["latest"]
            self.experiment.log_artifact(artifact, aliases=aliases)
            self.logged_at[path] = written_at

    def finalize(self, status: str) -> None:
        """Upload the checkpoints of a run that went well."""
        if status == "success":
            for checkpoints in self.kept_checkpoints.values():
                self.log_checkpoints(checkpoints)


def each_with_options(
    make: Any, values: list[Any], options: Mapping[str, Any]
) -> list[Any]:
    """What is made of each value, with its own of the options."""
    made = []
    for index, value in enumerate(values):
        own_options = {name: each[index] for name, each in options.items()}
        made.append(make(value, **own_options))
    return made


def as_json(value: Any) -> Any:
    """A hyperparameter that JSON can hold: functions by their names, objects as text."""
    if callable(value):
        return getattr(value, "__name__", None)
    if isinstance(value, list | dict):
        return value
    try:
        json.dumps(value)
    except (TypeError, OverflowError):
        return str(value)
    return value
