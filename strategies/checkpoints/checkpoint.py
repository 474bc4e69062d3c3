"""Checkpoints, under Lightning's keys."""

import inspect
import os
import warnings
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import torch

from .configurations import as_data, may_hold_configurations


def write_checkpoint(path: Path, checkpoint: dict[str, Any]) -> None:
    """Write beside `path`, then rename: a crash never leaves half a checkpoint."""
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as file:
            torch.save(checkpoint, file)
            file.flush()
            os.fsync(file.fileno())
        if may_hold_objects():
            tell_objects(partial, path)
        partial.replace(path)
    except (OSError, RuntimeError) as error:  # torch's hides that the disk is full
        partial.unlink(missing_ok=True)
        why = error if isinstance(error, OSError) else error.__context__
        raise SystemExit(f"cannot write {path}: {why or error}") from None


def may_hold_objects() -> bool:
    """Whether more than a script's own values may stand in its checkpoints."""
    return False


def tell_objects(file: Any, path: Any) -> None:
    """Say what keeps a checkpoint from being read: no code in it is run then."""
    if kinds := torch.serialization.get_unsafe_globals_in_checkpoint(file):
        print(f"no run goes on from {path}, as it holds {', '.join(kinds)}")


def require_intact(path: Any) -> None:
    """Have a file hold what was written to it."""
    records = ZipFile(path)  # torch.load leaves its checksums out
    if records.testzip() or any(each.external_attr for each in records.filelist):
        raise ValueError("a checksum is wrong")


def read_checkpoint(path: Path, safely: bool | None = True) -> dict[str, Any]:
    """A checkpoint of this script; no code in the file is run."""
    try:
        require_intact(path)
        checkpoint: dict[str, Any] = torch.load(path, "cpu", weights_only=safely)
        if "rng_states" not in checkpoint:
            raise ValueError("it has no random states, as Lightning's have none")
        return checkpoint
    except Exception as error:  # noqa: BLE001  # a damaged file fails in many ways
        why = str(error).partition(". ")[0]  # torch goes on with what it would take
        raise SystemExit(f"{path} is damaged, or not this script's: {why}") from None


def load_checkpoint(path: Any, device: Any = "cpu", safely: bool | None = True) -> Any:
    """What any checkpoint holds; those of torch's older format have no checksums."""
    checkpoint = torch.load(path, device, weights_only=safely)
    if is_zipfile(path):
        require_intact(path)
    return checkpoint


def checkpoint_to_resume(
    last: Path, restarted: bool, given: str | Path | None
) -> Path | None:
    """The checkpoint that was asked for, or the last one of a run that torchrun has started again."""
    if given == "last" or (restarted and last.exists()):
        return last if last.exists() else None
    return Path(given) if given is not None else None


def checkpoint_after_restart(last: Path, restarted: bool) -> Path | None:
    """The last one of a run that torchrun has started again."""
    return last if restarted and last.exists() else None


def require_whole_epoch(checkpoint: dict[str, Any]) -> None:
    """Nothing tells which batches of its epoch a checkpoint has seen, where any are left."""
    if checkpoint.get("batches_left", checkpoint["within_epoch"]):
        raise SystemExit(
            "this checkpoint was saved within an epoch: resume one of an epoch's end"
        )


def checkpoint_to_load(last: Path, given: str | Path | None) -> Path | None:
    """The checkpoint that was asked for: by its path, or the newest, which is the best where nothing is watched."""
    if given == "last":
        return last if last.exists() else None
    return last if given == "best" else Path(given) if given is not None else None


def plain_entries(values: Any) -> dict[str, Any]:
    """Those values that a checkpoint can hold; objects are left out."""
    held = as_data(values) if may_hold_configurations() else values
    return {name: as_plain(value) for name, value in held.items() if is_plain(value)}


def left_out(model: Any) -> list[str]:
    """The hyperparameters that a checkpoint cannot hold, and that a constructor does not have by default."""
    taken = inspect.signature(type(model).__init__).parameters
    defaults = {name: parameter.default for name, parameter in taken.items()}
    held = as_data(model.hparams) if may_hold_configurations() else model.hparams
    objects = [name for name, value in held.items() if not is_plain(value)]
    lost = [name for name in objects if held[name] is not defaults.get(name)]
    for name in lost:
        warnings.warn(
            f"checkpoints do not hold the hyperparameter {name}, an object: hand it to "
            "load_from_checkpoint",
            stacklevel=2,
        )
    return lost


def as_plain(value: Any) -> Any:
    """Dicts of any kind as dicts."""
    if isinstance(value, dict):
        return {key: as_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(as_plain, value))
    return value


def is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(is_plain(key) and is_plain(item) for key, item in value.items())
    if type(value) in (list, tuple, torch.Size):
        return all(map(is_plain, value))
    return value is None or type(value) in (bool, int, float, str, torch.Tensor)
