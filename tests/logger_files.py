"""What loggers have written: TensorBoard's events, runs of Weights & Biases, runs of MLflow."""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from mlflow.tracking import MlflowClient
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
from wandb.proto import wandb_internal_pb2


def events(path: Path) -> Iterator[Event]:
    """All that a file of TensorBoard's holds, without the times."""
    for record in RawEventFileLoader(str(path)).Load():
        event = Event.FromString(record)
        event.ClearField("wall_time")
        if event.graph_def:  # whose nodes have maps
            event.graph_def = GraphDef.FromString(event.graph_def).SerializeToString(deterministic=True)
        for value in event.summary.value:
            _put_in_order(value.metadata.plugin_data)
        yield event


def _put_in_order(plugin: Any) -> None:
    """Hyperparameters are a map, whose bytes have another order in each process."""
    if plugin.plugin_name == "hparams":
        content = HParamsPluginData.FromString(plugin.content)
        plugin.content = content.SerializeToString(deterministic=True)


def finished_records(path: Path) -> list[Any]:
    """What a run of wandb's wrote, which goes on for a while after wandb.finish()."""
    kinds: list[str] = []
    for _ in range(600):
        found = list(records(path.read_bytes()))
        kinds = [each.WhichOneof("record_type") for each in found]
        if "exit" in kinds:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{path} has no end, but {len(kinds)} records, the last {kinds[-3:]}")


def records(data: bytes) -> Iterator[Any]:
    """The records of a file in LevelDB's log format, which may be being written: those that are whole."""
    position, whole = 7, b""
    while position + 7 <= len(data):
        left = 32768 - position % 32768
        if left < 7:
            position += left
            continue
        _, size, kind = struct.unpack("<IHB", data[position : position + 7])
        if position + 7 + size > len(data):
            return
        whole += data[position + 7 : position + 7 + size]
        position += 7 + size
        if kind in (1, 4):  # a whole record, or the last part of one
            yield wandb_internal_pb2.Record.FromString(whole)
            whole = b""


VARYING = re.compile("^_timestamp$|^_runtime$|artifact_path$")
"""Keys of the history that hold times, or random names."""


def wandb_run(path: Path) -> dict[str, Any]:
    """The history, the configuration, the axes and the artifacts of the run that a file holds."""
    found: dict[str, Any] = {"history": [], "config": {}, "axes": [], "artifacts": []}
    for record in finished_records(path):
        kind = record.WhichOneof("record_type")
        if kind == "history":
            row = {item.key or "/".join(item.nested_key): item.value_json for item in record.history.item}
            found["history"].append({key: row[key] for key in row if not VARYING.search(key)})
        elif kind in ("config", "run"):
            config = record.config if kind == "config" else record.run.config
            updates = {item.key or "/".join(item.nested_key): item.value_json for item in config.update}
            found["config"] |= {key: value for key, value in updates.items() if not key.startswith("_wandb")}
        elif kind == "metric":
            found["axes"].append((record.metric.name, record.metric.glob_name, record.metric.step_metric))
        elif kind == "artifact":
            artifact = record.artifact
            entries = [(entry.path, entry.size, entry.digest) for entry in artifact.manifest.contents]
            found["artifacts"].append(
                (artifact.name, artifact.type, list(artifact.aliases), artifact.metadata, entries)
            )
    return found


def mlflow_run(uri: str, run_id: str) -> dict[str, Any]:
    """All that a run holds, without times and its own place."""
    client = MlflowClient(uri)
    run = client.get_run(run_id)
    artifacts = {}
    folders = [""]
    while folders:
        for entry in client.list_artifacts(run_id, folders.pop()):
            if entry.is_dir:
                folders.append(entry.path)
            else:
                artifacts[entry.path] = Path(client.download_artifacts(run_id, entry.path)).read_bytes()
    return {
        "params": run.data.params,
        "metrics": {
            name: [(each.step, each.value) for each in client.get_metric_history(run_id, name)]
            for name in run.data.metrics
        },
        "tags": run.data.tags,
        "status": run.info.status,
        "name": run.info.run_name,
        "artifacts": artifacts,
    }


def logged(folder: Path) -> dict[str, Any]:
    """By place: what was told to the loggers whose files stand below a folder."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("events.out.tfevents*")):
        found.setdefault(f"{path.parent.relative_to(folder)}/events", []).extend(events(path))
    for path in folder.glob("wandb/offline-run-*/run-*.wandb"):
        found["wandb"] = by_name(wandb_run(path))
    if (folder / "ml").exists():
        with patch.dict(os.environ, MLFLOW_ALLOW_FILE_STORE="true"):
            found["ml"] = list(mlflow_runs(f"file:{folder}/ml"))
    return found


def mlflow_runs(uri: str) -> Iterator[dict[str, Any]]:
    """The runs of all experiments in a store, without the name of the program."""
    client = MlflowClient(uri)
    experiments = [each.experiment_id for each in client.search_experiments()]
    for run in client.search_runs(experiments):
        held = mlflow_run(uri, run.info.run_id)
        del held["tags"]["mlflow.source.name"]
        yield by_name(held)


def by_name(value: Any) -> Any:
    """The value, whose dicts are in the order of their keys, however deep."""
    if isinstance(value, dict):
        return {key: by_name(value[key]) for key in sorted(value)}
    return [by_name(item) for item in value] if isinstance(value, list) else value
