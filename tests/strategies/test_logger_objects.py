"""`self.logger` and what is written through it: the files that Lightning's loggers write for the same calls."""

from __future__ import annotations

import json
import threading
from argparse import Namespace
from collections import UserDict, UserList
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import lightning.pytorch.callbacks as lightning_callbacks
import lightning.pytorch.loggers as lightning_loggers
import mlflow
import numpy as np
import pytest
import torch
import wandb
import yaml
from ddpgen.strategies.callbacks.model_checkpoint import ModelCheckpoint
from ddpgen.strategies.checkpoints.hyperparameters import flatten_hyperparameters, write_hyperparameters
from ddpgen.strategies.loggers.csv_logger import CSVLogger
from ddpgen.strategies.loggers.experiment import NoExperiment, next_version
from ddpgen.strategies.loggers.logger_objects import (
    log_hyperparameters,
    merged_hyperparameters,
    open_experiments,
)
from ddpgen.strategies.loggers.mlflow_logger import MLFlowLogger
from ddpgen.strategies.loggers.tensorboard_logger import TensorBoardLogger
from ddpgen.strategies.loggers.wandb_logger import WandbLogger
from hypothesis import given, settings
from hypothesis import strategies as st
from lightning.pytorch.loggers.utilities import _log_hyperparams
from logger_files import events, mlflow_run, wandb_run
from mlflow.tracking import MlflowClient
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import nn

Calls = Callable[[Any], None]
"""What a test does with a logger, Lightning's or ours."""


@pytest.fixture(autouse=True)
def without_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lightning copies hyperparameters before OmegaConf is asked to write them, and YAML tells a tensor's address."""
    monkeypatch.setattr("lightning.pytorch.core.saving.deepcopy", lambda hparams: hparams)


class Color(Enum):
    RED = 1


@dataclass
class Width:
    hidden: int = 3


PARAMS: dict[str, Any] = {
    "lr": 0.1,
    "layers": 3,
    "bias": True,
    "name": "net",
    "nothing": None,
    "sizes": [1, 2],
    "pair": (1, 2),
    "empty": {},
    "none_of_them": [],
    "optimizer": {"name": "sgd", "betas": {"first": 0.9}},
    "blocks": [{"a": 1}, {"a": 2, "b": {"c": 3}}],
    "namespace": Namespace(depth=2, inner=Namespace(x=1)),
    "dataclass": Width(),
    "kind": Width,
    "color": Color.RED,
    "path": Path("data"),
    "float32": np.float32(0.5),
    "int64": np.int64(5),
    "bool_": np.bool_(True),
    "array": np.ones(2),
    "vector": torch.ones(2),
    "matrix": torch.ones(2, 2),
    5: "five",
}


def both(name: str, calls: Calls, tmp_path: Path, **options: Any) -> tuple[Path, Path]:
    """The folders that Lightning's logger and ours wrote, for the same calls."""
    folders = tmp_path / "lightning", tmp_path / "ours"
    for folder, kind in zip(folders, (getattr(lightning_loggers, name), OURS[name]), strict=True):
        calls(kind(folder, **options))
    return folders


OURS = {"TensorBoardLogger": TensorBoardLogger, "CSVLogger": CSVLogger}


def contents(folder: Path) -> dict[str, Any]:
    """By a file's path: its bytes, or TensorBoard's events. All event files of a folder are one."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if path.name.startswith("events.out.tfevents"):
            found.setdefault(str(place.parent), []).extend(events(path))
        elif path.is_file():
            found[str(place)] = path.read_bytes()
    return found


def assert_same(name: str, calls: Calls, tmp_path: Path, **options: Any) -> dict[str, Any]:
    expected, found = both(name, calls, tmp_path, **options)
    assert contents(found) == contents(expected)
    return contents(found)


# ---- TensorBoard -----------------------------------------------------------------------------------------


def log_scalars(logger: Any) -> None:
    logger.log_metrics({"loss": 0.25, "acc": torch.tensor(1 / 3, dtype=torch.float64)}, step=3)
    logger.log_metrics({"loss": torch.tensor(0.5, dtype=torch.bfloat16), "n": 7}, step=4)
    logger.log_metrics({"loss": float("nan"), "x": np.float32(0.1)}, 5)
    logger.log_metrics({"without_step": torch.tensor([2])})
    logger.finalize("success")


def test_tensorboard_scalars(tmp_path: Path) -> None:
    written = assert_same("TensorBoardLogger", log_scalars, tmp_path)
    assert set(written) == {"lightning_logs/version_0", "lightning_logs/version_0/hparams.yaml"}
    accumulator = EventAccumulator(str(tmp_path / "ours/lightning_logs/version_0")).Reload()
    assert [(each.step, each.value) for each in accumulator.Scalars("loss")][:2] == [(3, 0.25), (4, 0.5)]


def test_tensorboard_prefix(tmp_path: Path) -> None:
    assert_same("TensorBoardLogger", log_scalars, tmp_path, prefix="run")


def test_tensorboard_several_values_under_one_name(tmp_path: Path) -> None:
    def calls(logger: Any) -> None:
        logger.log_metrics({"losses": {"a": 1.0, "b": torch.tensor(2.0)}, "c": 3.0}, step=1)
        logger.finalize("success")

    written = assert_same("TensorBoardLogger", calls, tmp_path, prefix="run")
    assert "lightning_logs/version_0/run-losses_a" in written


@pytest.mark.parametrize("options", [{}, {"default_hp_metric": False}, {"prefix": "run"}])
@pytest.mark.parametrize(
    "metrics", [(), (None, 2), ({"acc": 0.5, "loss": 2},), ({"acc": 0.5}, 3), (0.25,), ({},)]
)
def test_tensorboard_hyperparameters(tmp_path: Path, options: dict[str, Any], metrics: Any) -> None:
    def calls(logger: Any) -> None:
        logger.log_hyperparams(dict(PARAMS), *metrics)
        logger.log_metrics({"loss": 1.0}, step=0)
        logger.save()

    assert_same("TensorBoardLogger", calls, tmp_path, **options)


@pytest.mark.parametrize("name", ["CSVLogger", "TensorBoardLogger"])
def test_the_text_of_hyperparameters(name: str, tmp_path: Path) -> None:
    """In the order of the code, and as a loader reads it which takes plain YAML alone."""

    def calls(logger: Any) -> None:
        logger.log_hyperparams({"width": 8, "lr": 1e-5, "layers": (4, 4), "text": "1e3", "b": {"c": None}})
        logger.save()
        logger.finalize("success")

    (text,) = {text for path, text in assert_same(name, calls, tmp_path).items() if path.endswith("yaml")}
    assert yaml.safe_load(text)["layers"] == [4, 4]
    assert text.startswith(b"width")


def test_tensorboard_hyperparameters_are_written_once(tmp_path: Path) -> None:
    def calls(logger: Any) -> None:
        logger.log_hyperparams({"a": 1, "b": {"c": [1]}})
        logger.log_hyperparams(Namespace(b=2, d=3))
        logger.save()
        logger.log_hyperparams({"late": 1})
        logger.save()
        logger.finalize("success")

    written = assert_same("TensorBoardLogger", calls, tmp_path)
    assert written["lightning_logs/version_0/hparams.yaml"] == b"a: 1\nb: 2\nd: 3\n"


def test_tensorboard_writer_of_the_users(tmp_path: Path) -> None:
    def calls(logger: Any) -> None:
        logger.experiment.add_image("samples", torch.full((3, 4, 4), 0.5), 2)
        logger.experiment.add_histogram("weights", torch.arange(5.0), 2)
        logger.experiment.add_text("note", "text")
        logger.experiment.flush()

    assert_same("TensorBoardLogger", calls, tmp_path, max_queue=1, flush_secs=1, purge_step=1)


@pytest.mark.parametrize("status", ["success", "failed"])
def test_tensorboard_end_of_a_run(tmp_path: Path, status: str) -> None:
    def calls(logger: Any) -> None:
        logger.log_metrics({"loss": 1.0}, step=0)
        logger.finalize(status)
        logger.log_metrics({"test_loss": 1.0}, step=1)  # of a trainer.test() that follows
        logger.finalize(status)

    assert_same("TensorBoardLogger", calls, tmp_path)


@pytest.mark.parametrize("status", ["success", "failed"])
def test_tensorboard_end_of_a_run_without_values(tmp_path: Path, status: str) -> None:
    assert_same("TensorBoardLogger", lambda logger: logger.finalize(status), tmp_path)


# ---- CSV -------------------------------------------------------------------------------------------------


def log_rows(logger: Any) -> None:
    logger.log_metrics({"loss": 1 / 3, "acc": torch.tensor(1 / 3)}, step=0)
    logger.log_metrics({"loss": torch.tensor(2), "step": 99}, step=1)
    logger.log_metrics({"Zoe": float("nan"), "text": 'a "b", c\n'}, step=2)
    logger.log_metrics({"loss": None, "acc": 0.1}, step=3)
    logger.log_metrics({"loss": 4.0})
    logger.finalize("success")


@pytest.mark.parametrize("options", [{}, {"flush_logs_every_n_steps": 1}, {"flush_logs_every_n_steps": 2}])
@pytest.mark.parametrize("prefix", ["", "run"])
def test_csv_columns_that_change(tmp_path: Path, options: dict[str, Any], prefix: str) -> None:
    written = assert_same("CSVLogger", log_rows, tmp_path, prefix=prefix, **options)
    assert set(written) == {"lightning_logs/version_0/metrics.csv"}


ROWS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from("abcd"), st.floats() | st.integers() | st.text(max_size=3)),
        st.none() | st.integers(0, 9),
        st.booleans(),
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, every=st.integers(1, 4))
def test_csv_any_rows(tmp_path_factory: pytest.TempPathFactory, rows: Any, every: int) -> None:
    def calls(logger: Any) -> None:
        for metrics, step, saves in rows:
            logger.log_metrics(metrics, step)
            if saves:
                logger.save()
        logger.finalize("success")

    assert_same("CSVLogger", calls, tmp_path_factory.mktemp("rows"), flush_logs_every_n_steps=every)


def test_csv_hyperparameters(tmp_path: Path) -> None:
    def calls(logger: Any) -> None:
        logger.log_hyperparams(dict(PARAMS))
        logger.log_hyperparams(Namespace(late=1))
        logger.save()

    written = assert_same("CSVLogger", calls, tmp_path)
    assert set(written) == {"lightning_logs/version_0/hparams.yaml"}


@pytest.mark.parametrize("status", ["success", "failed"])
def test_csv_end_of_a_run_without_values(tmp_path: Path, status: str) -> None:
    assert assert_same("CSVLogger", lambda logger: logger.finalize(status), tmp_path) == {}


def test_csv_a_version_that_is_there_is_written_anew(tmp_path: Path) -> None:
    def calls(logger: Any) -> None:
        logger.log_metrics({"loss": 1.0}, step=0)
        logger.finalize("success")

    assert_same("CSVLogger", log_rows, tmp_path, version=3)
    with pytest.warns(UserWarning, match="metrics.csv are deleted"):
        assert_same("CSVLogger", calls, tmp_path, version=3)


class Killed(BaseException):
    pass


def kill(*args: Any, **options: Any) -> Any:
    raise Killed


@pytest.mark.parametrize("killed_in", ["csv.DictWriter.writerows", "pathlib.Path.replace"])
def test_csv_a_run_killed_as_columns_are_added_keeps_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_in: str
) -> None:
    logger = CSVLogger(tmp_path)
    logger.log_metrics({"loss": 1.0}, step=0)
    logger.save()
    path = Path(logger.log_dir, "metrics.csv")
    written = path.read_bytes()
    monkeypatch.setattr(killed_in, kill)
    logger.log_metrics({"acc": 1.0}, step=1)
    with pytest.raises(Killed):
        logger.save()
    assert path.read_bytes() == written


def test_hyperparameters_half_written_are_written_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hparams.yaml"
    with monkeypatch.context() as context:
        context.setattr(Path, "replace", kill)
        with pytest.raises(Killed):
            write_hyperparameters(str(path), {"a": 1})
    assert not path.exists()
    write_hyperparameters(str(path), {"a": 1})
    assert [file.name for file in tmp_path.iterdir()] == ["hparams.yaml"]


def test_csv_experiment_of_the_users(tmp_path: Path) -> None:
    def calls(logger: Any) -> None:
        logger.experiment.log_metrics({"loss": torch.tensor(1.0)}, 4)
        logger.experiment.log_hparams({"a": 1})
        logger.experiment.save()
        assert logger.experiment.metrics == []
        assert logger.experiment.log_dir == logger.log_dir

    assert_same("CSVLogger", calls, tmp_path)


# ---- directories -----------------------------------------------------------------------------------------

DIRECTORIES = ["root_dir", "log_dir", "save_dir", "name", "version"]
FILES = pytest.mark.parametrize("kind", ["TensorBoardLogger", "CSVLogger"])


@FILES
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"name": "x"},
        {"name": "x/y"},
        {"name": ""},
        {"name": None},
        {"version": 4},
        {"version": "best"},
        {"version": "version_2"},
        {"version": ""},
    ],
)
def test_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, options: Any) -> None:
    for name in ("version_0", "version_7", "version_11_old", "version_x", "other"):
        (tmp_path / "logs" / (options.get("name", "lightning_logs") or "") / name).mkdir(parents=True)
    (tmp_path / "logs/lightning_logs").mkdir(exist_ok=True)
    (tmp_path / "logs/lightning_logs/version_20").touch()
    monkeypatch.chdir(tmp_path)
    for save_dir in ("logs", Path("logs"), "", "."):
        expected = getattr(lightning_loggers, kind)(save_dir, **options)
        found = OURS[kind](save_dir, **options)
        for name in DIRECTORIES:
            assert getattr(found, name) == getattr(expected, name), name


@pytest.mark.parametrize("sub_dir", ["fold_1", Path("fold_1"), "~/x", "$RUN/y", ""])
def test_directories_below_the_version(monkeypatch: pytest.MonkeyPatch, sub_dir: Any) -> None:
    monkeypatch.setenv("RUN", "run")
    expected = lightning_loggers.TensorBoardLogger("logs", sub_dir=sub_dir)
    found = TensorBoardLogger("logs", sub_dir=sub_dir)
    assert (found.log_dir, found.sub_dir) == (expected.log_dir, expected.sub_dir)


@FILES
def test_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "logs/lightning_logs/version_3").mkdir(parents=True)
    expected, found = getattr(lightning_loggers, kind)("~/logs"), OURS[kind]("~/logs")
    assert found.version == expected.version == 4
    assert found.log_dir == expected.log_dir


@FILES
def test_a_version_for_each_run(tmp_path: Path, kind: str) -> None:
    def calls(logger: Any) -> None:
        logger.log_metrics({"loss": 1.0}, step=0)
        logger.finalize("success")

    for number in range(3):
        written = assert_same(kind, calls, tmp_path)
        assert f"lightning_logs/version_{number}" in {str(Path(path).parent) for path in written}


def test_two_loggers_in_one_folder_choose_their_versions_when_they_write(tmp_path: Path) -> None:
    for folder, kinds in {
        "lightning": (lightning_loggers.TensorBoardLogger, lightning_loggers.CSVLogger),
        "ours": (TensorBoardLogger, CSVLogger),
    }.items():
        loggers = [kind(tmp_path / folder) for kind in kinds]
        for logger in loggers:
            logger.log_metrics({"loss": 1.0}, step=0)
            logger.finalize("success")
        assert [logger.version for logger in loggers] == [0, 1]
    assert contents(tmp_path / "ours") == contents(tmp_path / "lightning")


def test_next_version_of_no_folder_and_of_an_empty_one(tmp_path: Path) -> None:
    assert next_version(str(tmp_path / "none")) == next_version(str(tmp_path)) == 0


# ---- hyperparameters -------------------------------------------------------------------------------------


def test_what_yaml_cannot_hold_is_left_out(tmp_path: Path) -> None:
    def calls(logger: Any) -> None:
        logger.log_hyperparams({"lock": threading.Lock(), "a": 1})

    with pytest.warns(UserWarning, match="does not hold lock"):
        written = assert_same("CSVLogger", calls, tmp_path)
    assert written["lightning_logs/version_0/hparams.yaml"] == b"a: 1\n"


def test_flatten_hyperparameters() -> None:
    assert flatten_hyperparameters({"a": {"b": [{"c": 1}]}, "d": Namespace(e=[1])}) == {
        "a/b/0/c": 1,
        "d/e": [1],
    }


def test_containers_of_other_kinds_are_plain_in_yaml(tmp_path: Path) -> None:
    config = UserDict({"sizes": UserList([1, UserDict({"x": 2})]), "pair": (1, 2)})
    write_hyperparameters(str(tmp_path / "hparams.yaml"), {"config": config})
    text = (tmp_path / "hparams.yaml").read_text()
    assert yaml.unsafe_load(text) == {"config": {"sizes": [1, {"x": 2}], "pair": (1, 2)}}


# ---- Weights & Biases ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def service() -> Iterator[None]:
    """Ended here, because at the worker's exit it complains of the exit code."""
    yield
    wandb.teardown()


@pytest.fixture
def offline(service: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)  # where its console log is left
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("WANDB_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WANDB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("WANDB_CONFIG_DIR", str(tmp_path / "config"))
    yield
    wandb.finish()


def both_runs(calls: Calls, tmp_path: Path, **options: Any) -> dict[str, Any]:
    """What Lightning's logger and ours wrote, which is the same."""
    found = []
    for name, kind in {"lightning": lightning_loggers.WandbLogger, "ours": WandbLogger}.items():
        (tmp_path / name).mkdir()
        calls(kind(save_dir=tmp_path / name, **{"id": "same", **options}))
        wandb.finish()
        (path,) = (tmp_path / name).glob("wandb/offline-run-*/run-*.wandb")
        found.append(wandb_run(path))
    expected, ours = found
    assert ours == expected
    return ours


@pytest.mark.parametrize("prefix", ["", "run"])
def test_wandb_history(tmp_path: Path, offline: None, prefix: str) -> None:
    def calls(logger: Any) -> None:
        logger.log_metrics({"loss": 0.25, "acc": torch.tensor(0.5)}, step=3)
        logger.log_metrics({"loss": 2.0}, step=4)
        logger.log_metrics({"without_step": 1})
        logger.experiment.log({"of_the_user": 1})
        logger.finalize("success")

    run = both_runs(calls, tmp_path, prefix=prefix)
    key = f"{prefix}-loss" if prefix else "loss"
    assert [row.get(key) for row in run["history"]] == ["0.25", "2", None, None]
    assert [row.get("trainer/global_step") for row in run["history"][:3]] == ["3", "4", "4"]
    assert ("trainer/global_step", "", "") in run["axes"]


def test_wandb_hyperparameters(tmp_path: Path, offline: None) -> None:
    def calls(logger: Any) -> None:
        params = {str(name): value for name, value in PARAMS.items()}
        functions = {"loss": nn.functional.mse_loss, "module": nn.ReLU()}
        logger.log_hyperparams(Namespace(lr=1))
        logger.log_hyperparams({**params, "lr": 0.5, **functions})

    config = both_runs(calls, tmp_path)["config"]
    assert (config["lr"], config["loss"], config["kind"]) == ("0.5", '"mse_loss"', '"Width"')


def test_wandb_media(tmp_path: Path, offline: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("Audio", "Video"):  # which would need packages, and are written in no certain order
        monkeypatch.setattr(wandb, kind, wandb.Image)

    def calls(logger: Any) -> None:
        images = [np.zeros((4, 4, 3), dtype=np.uint8), torch.ones(3, 4, 4)]
        logger.log_image("samples", images, step=2, caption=["a", "b"])
        logger.log_image(key="more", images=images)
        logger.log_table("table", columns=["x", "y"], data=[[1, "a"], [2, "b"]], step=3)
        logger.log_text("text", ["x"], [["a"]], step=4)
        logger.log_audio("sounds", images[:1], step=5, caption=["c"])
        logger.log_video("moves", images[1:])

    history = both_runs(calls, tmp_path)["history"]
    assert (history[0]["samples/count"], json.loads(history[0]["samples/captions"])) == ("2", ["a", "b"])
    assert history[1]["more/count"] == history[2]["table/nrows"] == "2"
    assert history[3]["text/nrows"] == history[4]["sounds/count"] == "1"
    assert len(history) == 6


def test_wandb_artifacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Mock()
    for kind in (lightning_loggers.WandbLogger, WandbLogger):
        assert kind(experiment=run).use_artifact("weights:v1", "model") is run.use_artifact.return_value
        for run_there in (None, run):
            monkeypatch.setattr(wandb, "run", run_there)
            monkeypatch.setattr(wandb, "Api", run.Api)
            kind.download_artifact("weights:v1", save_dir=tmp_path, artifact_type="model")
            kind.download_artifact("weights:v2", use_artifact=False)
    calls = run.mock_calls
    assert calls[: len(calls) // 2] == calls[len(calls) // 2 :]


def test_wandb_watches_the_model(tmp_path: Path, offline: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def calls(logger: Any) -> None:
        torch.manual_seed(0)
        model = nn.Linear(2, 1)
        monkeypatch.setattr(wandb.sdk.wandb_watch, "_global_watch_idx", 0)
        logger.watch(model, log="all", log_freq=1, log_graph=False)
        model(torch.ones(1, 2)).sum().backward()
        logger.log_metrics({"loss": 1.0}, step=0)

    assert "gradients/weight/values" in both_runs(calls, tmp_path)["history"][0]


def test_wandb_names(tmp_path: Path, offline: None, monkeypatch: pytest.MonkeyPatch) -> None:
    for options in (
        {},
        {"project": "p", "name": "n", "version": "v", "id": "i"},
        {"id": "i", "dir": "d", "save_dir": None},
        {"save_dir": tmp_path},
    ):
        expected, found = lightning_loggers.WandbLogger(**options), WandbLogger(**options)  # type: ignore[arg-type]
        for name in ("name", "version", "save_dir", "root_dir", "log_dir", "_name", "_project", "_id"):
            assert getattr(found, name) == getattr(expected, name)
    monkeypatch.setenv("WANDB_PROJECT", "of the environment")
    assert WandbLogger().name == "of the environment"


def test_wandb_arguments_reach_the_run(tmp_path: Path, offline: None) -> None:
    logger = WandbLogger("n", tmp_path, "v", project="p", tags=["t"], group="g", notes="why")
    run = logger.experiment
    assert (run.name, run.id, run.project, run.tags, run.group, run.notes) == (
        "n",
        "v",
        "p",
        ("t",),
        "g",
        "why",
    )
    assert logger.version == "v"
    assert logger.experiment is run


def test_wandb_arguments_that_code_changes(tmp_path: Path, offline: None) -> None:
    expected = lightning_loggers.WandbLogger("n", tmp_path, project="p", group="g")
    logger = WandbLogger("n", tmp_path, project="p", group="g")
    assert {"anonymous": None, **logger._wandb_init} == expected._wandb_init
    logger._wandb_init["name"] = "changed"
    assert logger.experiment.name == "changed"


def test_wandb_offline(tmp_path: Path, offline: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WANDB_MODE")
    logger = WandbLogger(save_dir=tmp_path, offline=True)
    assert logger.experiment.settings._offline
    with pytest.raises(ValueError, match="offline"):
        WandbLogger(offline=True, log_model=True)


def test_wandb_a_run_in_progress_is_taken(tmp_path: Path, offline: None) -> None:
    run = wandb.init(dir=tmp_path)
    assert WandbLogger(save_dir=tmp_path).experiment is run
    assert WandbLogger(save_dir=tmp_path, experiment=run).version == run.id


def checkpoint_callbacks(folder: Path, **options: Any) -> dict[bool, Any]:
    """Ours (True) and Lightning's, which have kept two checkpoints."""
    kinds = {True: ModelCheckpoint, False: lightning_callbacks.ModelCheckpoint}
    folder.mkdir()
    return {is_ours: checkpoint_callback(kind, folder, **options) for is_ours, kind in kinds.items()}


def checkpoint_callback(kind: Any, folder: Path, **options: Any) -> Any:
    callback = kind(folder, monitor="val_loss", **options)
    paths = [folder / f"epoch={epoch}.ckpt" for epoch in range(2)]
    for epoch, path in enumerate(paths):
        path.write_text(f"weights of epoch {epoch}")
    callback.best_model_path, callback.last_model_path = map(str, paths)
    callback.best_model_score = torch.tensor(0.25)
    callback.current_score = torch.tensor(0.5)
    callback.best_k_models = {str(paths[0]): torch.tensor(0.25)}
    return callback


@pytest.mark.parametrize(
    ("log_model", "options", "status"),
    [
        (True, {}, "success"),
        (True, {}, "failed"),
        (True, {"save_top_k": -1}, "failed"),
        ("all", {"every_n_train_steps": 7}, "failed"),
        ("all", {"every_n_epochs": 2}, "failed"),
        (False, {}, "success"),
    ],
)
def test_wandb_checkpoints(tmp_path: Path, offline: None, log_model: Any, options: Any, status: str) -> None:
    callbacks = checkpoint_callbacks(tmp_path / "checkpoints", **options)

    def calls(logger: Any) -> None:
        logger.log_metrics({"loss": 1.0}, step=0)
        for _ in range(2):  # what did not change is not logged again
            logger.after_save_checkpoint(callbacks[isinstance(logger, WandbLogger)])
        logger.finalize(status)

    artifacts = both_runs(calls, tmp_path, log_model=log_model)["artifacts"]
    is_logged = bool(log_model) and (status == "success" or log_model == "all" or bool(options))
    assert len(artifacts) == 2 * is_logged


# ---- MLflow ----------------------------------------------------------------------------------------------


@pytest.fixture
def own_tracking_uri(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is set here, by us or by MLflow, is not seen elsewhere."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "")
    yield
    mlflow.set_tracking_uri(None)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('mlflow')}/mlflow.db"


def both_mlflow_runs(calls: Calls, tmp_path: Path, uri: str, **options: Any) -> dict[str, Any]:
    """What Lightning's logger and ours wrote, which is the same."""
    found = []
    for name, kind in {"lightning": lightning_loggers.MLFlowLogger, "ours": MLFlowLogger}.items():
        experiment = f"{tmp_path.name} {name}"
        location = (tmp_path / f"artifacts {name}").as_uri()
        options = {"run_name": "run", **options}
        logger = kind(experiment, tracking_uri=uri, artifact_location=location, **options)
        calls(logger)
        assert logger.name == logger.experiment_id
        assert logger.version == logger.run_id
        experiment_id = MlflowClient(uri).get_experiment_by_name(experiment).experiment_id
        assert logger.experiment_id == experiment_id
        found.append(mlflow_run(uri, logger.run_id))
    expected, ours = found
    assert ours == expected
    return ours


@pytest.mark.parametrize("options", [{}, {"prefix": "run"}, {"synchronous": True}])
def test_mlflow_metrics(tmp_path: Path, store: str, options: Any) -> None:
    def calls(logger: Any) -> None:
        logger.log_metrics({"loss": 0.25, "acc": 1}, step=3)
        logger.log_metrics({"loss": 2.0}, step=4)
        logger.log_metrics({"without_step": 1.0})
        logger.log_metrics({"bad!name": 1.0, "text": "no number"}, step=5)
        logger.finalize("success")

    with pytest.warns(UserWarning, match="badname"):
        run = both_mlflow_runs(calls, tmp_path, store, **options)
    prefix = "run-" if "prefix" in options else ""
    assert run["metrics"][f"{prefix}loss"] == [(3, 0.25), (4, 2.0)]
    assert run["metrics"][f"{prefix}badname"] == [(5, 1.0)]
    assert run["status"] == "FINISHED"


def test_mlflow_hyperparameters(tmp_path: Path, store: str) -> None:
    def calls(logger: Any) -> None:
        logger.log_hyperparams(
            {**PARAMS, "long": "x" * 400, "many": {str(each): each for each in range(150)}}
        )
        logger.log_hyperparams(Namespace(late=1))

    params = both_mlflow_runs(calls, tmp_path, store)["params"]
    assert params["optimizer/betas/first"] == "0.9"
    assert len(params["long"]) == 250
    assert len(params) > 150


@pytest.mark.parametrize(
    ("status", "expected"), [("success", "FINISHED"), ("failed", "FAILED"), ("KILLED", "KILLED")]
)
def test_mlflow_end_of_a_run(tmp_path: Path, store: str, status: str, expected: str) -> None:
    def calls(logger: Any) -> None:
        logger.log_metrics({"loss": 1.0}, step=0)
        logger.finalize(status)

    tags = {"team": "a"}
    run = both_mlflow_runs(calls, tmp_path, store, tags=tags, run_name="r")
    assert (run["status"], run["name"], run["tags"]["team"]) == (expected, "r", "a")


def test_mlflow_a_run_goes_on(tmp_path: Path, store: str) -> None:
    first = MLFlowLogger(tmp_path.name, tracking_uri=store)
    first.log_metrics({"loss": 1.0}, step=0)
    second = MLFlowLogger("another", tracking_uri=store, run_id=first.run_id)
    second.log_metrics({"loss": 2.0}, step=1)
    third = MLFlowLogger(tmp_path.name, tracking_uri=store)
    assert (second.run_id, second.experiment_id) == (first.run_id, first.experiment_id)
    assert third.experiment_id == first.experiment_id
    assert third.run_id != first.run_id
    assert mlflow_run(store, str(first.run_id))["metrics"] == {"loss": [(0, 1.0), (1, 2.0)]}


def test_mlflow_nothing_starts_before_it_is_used(tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path}/none.db"
    MLFlowLogger(tracking_uri=uri).finalize("success")
    assert list(tmp_path.iterdir()) == []


def test_mlflow_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_tracking_uri: None) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    logger = MLFlowLogger()
    logger.log_metrics({"loss": 1.0}, step=2)
    assert mlflow_run("file:./mlruns", str(logger.run_id))["metrics"] == {"loss": [(2, 1.0)]}
    assert mlflow.get_tracking_uri() == "file:./mlruns"


def test_mlflow_places(monkeypatch: pytest.MonkeyPatch, own_tracking_uri: None) -> None:
    assert MLFlowLogger(save_dir="runs").save_dir == "runs"
    assert MLFlowLogger(tracking_uri="sqlite:///x.db").save_dir is None
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///y.db")
    assert MLFlowLogger().tracking_uri == "sqlite:///y.db"


@pytest.mark.parametrize(
    ("log_model", "options"),
    [(True, {}), (True, {"save_top_k": -1}), ("all", {"every_n_train_steps": 7}), (False, {})],
)
def test_mlflow_checkpoints(tmp_path: Path, store: str, log_model: Any, options: Any) -> None:
    callbacks = checkpoint_callbacks(tmp_path / "checkpoints", **options)

    def calls(logger: Any) -> None:
        logger.log_metrics({"loss": 1.0}, step=0)
        for _ in range(2):
            logger.after_save_checkpoint(callbacks[isinstance(logger, MLFlowLogger)])
        logger.finalize("success")

    artifacts = both_mlflow_runs(calls, tmp_path, store, log_model=log_model)["artifacts"]
    assert len(artifacts) == 6 * bool(log_model)


# ---- other ranks -----------------------------------------------------------------------------------------


def all_calls(logger: Any, callback: Any) -> None:
    logger.log_metrics({"loss": torch.tensor(1.0)}, step=0)
    logger.log_hyperparams({"a": 1})
    logger.log_graph(nn.ReLU(), torch.ones(1))
    logger.save()
    if hasattr(logger, "watch"):
        logger.watch(nn.ReLU())
        logger.log_image("samples", [torch.ones(1)])
        logger.log_table("table", columns=["x"], data=[[1]])
    if hasattr(logger, "after_save_checkpoint"):
        logger.after_save_checkpoint(callback)
    logger.finalize("success")


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (TensorBoardLogger, {"save_dir": "logs"}),
        (CSVLogger, {"save_dir": "logs", "flush_logs_every_n_steps": 1}),
        (WandbLogger, {"log_model": "all"}),
        (MLFlowLogger, {"log_model": "all", "tracking_uri": "sqlite:///mlflow.db"}),
    ],
)
def test_other_ranks_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offline: None, kind: Any, options: Any
) -> None:
    callback = checkpoint_callbacks(tmp_path / "checkpoints")[True]
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setenv("RANK", "1")
    logger = kind(**options)
    assert isinstance(logger.experiment, NoExperiment)
    all_calls(logger, callback)
    assert list(Path().iterdir()) == []
    assert wandb.run is None


def test_an_experiment_that_does_nothing() -> None:
    experiment: Any = NoExperiment()
    assert experiment.add_image("samples", torch.ones(3, 2, 2), global_step=1) is None
    assert experiment.config.update({"lr": 1}) is None
    experiment.config["lr"] = 1


def test_a_folder_that_cannot_be_written_to_is_found_before_the_training(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"^cannot write logs: .*Not a directory: .*file"):
        open_experiments([CSVLogger(tmp_path / "file")])


PAIRS = {
    "other names": ({"a": 1}, {"b": 2}),
    "the same": ({"a": [1], "b": 2}, {"a": [1], "c": 3}),
    "another value": ({"a": 1}, {"a": 2}),
    "another type": ({"a": 1}, {"a": 1.0}),
    "a tensor": ({"a": torch.ones(1)}, {"a": torch.ones(1)}),
    "none": ({}, {}),
}


@pytest.mark.parametrize("has_loggers", [True, False])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_a_model_and_a_data_module_agree_in_what_both_have(
    pair: tuple[dict[str, Any], dict[str, Any]], has_loggers: bool
) -> None:
    model, data = (Mock(_log_hyperparams=True, hparams_initial=each) for each in pair)
    theirs = Mock(loggers=[Mock()] if has_loggers else [], lightning_module=model, datamodule=data)
    ours = [Mock()] if has_loggers else []
    try:
        _log_hyperparams(theirs)
    except RuntimeError:
        with pytest.raises(RuntimeError, match="different values of the hyperparameters a"):
            merged_hyperparameters(ours, *pair)
        return
    log_hyperparameters(ours, merged_hyperparameters(ours, *pair))
    for one, other in zip(theirs.loggers, ours, strict=True):
        assert other.log_hyperparams.call_args == one.log_hyperparams.call_args
