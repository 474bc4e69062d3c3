"""Checkpoints that are folders, to which each rank writes what it has of the tensors."""

import os
import pickle
import shutil
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any
from zlib import crc32

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.checkpoint import state_dict_loader, state_dict_saver
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.default_planner import DefaultSavePlanner
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.metadata import Metadata, TensorStorageMetadata
from torch.distributed.tensor import DTensor

from ..distributed.ranks import Ranks
from ..loop.optimizers import optimized_parameters
from ..sharding.sharded_model import shares_of_model, shares_of_states
from .checkpoint import (
    load_checkpoint,
    may_hold_objects,
    read_checkpoint,
    require_intact,
    tell_objects,
    write_checkpoint,
)

SHARED_PARTS = "state_dict", "optimizer_states"

METADATA_MODULES = {
    "pathlib": {"Path", "PosixPath", "WindowsPath"},
    "torch": {"Size"},
    "torch.serialization": {"_get_layout"},
    "torch.distributed.checkpoint.filesystem": {"_StorageInfo"},
    "torch.distributed.checkpoint.metadata": {
        "ChunkStorageMetadata",
        "Metadata",
        "MetadataIndex",
        "StorageMeta",
        "TensorProperties",
        "TensorStorageMetadata",
        "_MEM_FORMAT_ENCODING",
    },
}


class MetadataUnpickler(pickle.Unpickler):
    """Reads the list of a checkpoint's tensors, and makes nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        found = getattr(torch, name, None) if module == "torch" else None
        if isinstance(found, torch.dtype):
            return found
        if name not in METADATA_MODULES.get(module, ()):
            raise pickle.UnpicklingError(f"{module}.{name} is none of DCP's metadata")
        return super().find_class(module, name)


class TensorReader(FileSystemReader):
    """Reads tensors from a folder, in which torch's own would run the code of a pickle."""

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        data = (Path(self.path) / ".metadata").read_bytes()
        if crc32(data[:-4]) != int.from_bytes(data[-4:], "big"):
            raise ValueError("the checksum of .metadata is wrong")
        metadata: Any = MetadataUnpickler(BytesIO(data)).load()
        for name, kept in metadata.state_dict_metadata.items():
            if not isinstance(kept, TensorStorageMetadata):
                raise TypeError(f"{name} is no tensor")
        metadata.storage_meta.load_id = self.load_id
        return metadata  # type: ignore[no-any-return]

    def _slice_file(self, file: Any, sinfo: Any) -> Any:
        """A tensor's part of a file, which is a file of torch.save's in itself."""
        part = BytesIO(super()._slice_file(file, sinfo).read())
        require_intact(part)
        part.seek(0)
        return part


class TensorWriter(FileSystemWriter):
    """Writes tensors to a folder, and a checksum behind the list of them."""

    def finish(self, metadata: Metadata, results: Any) -> None:
        super().finish(metadata, results)
        with (Path(self.path) / ".metadata").open("rb+") as file:
            file.write(crc32(file.read()).to_bytes(4, "big"))  # torch ignores it
            file.flush()
            os.fsync(file.fileno())


def keeps_folders() -> bool:
    """Whether checkpoints are folders."""
    return False


def is_first_rank() -> bool:
    """Whether no other rank does what one does for all."""
    return not dist.is_initialized() or dist.get_rank() == 0


def await_ranks(group: Any = None) -> None:
    """Go on when every rank is here. Every rank calls this."""
    if dist.is_initialized():
        dist.barrier(group=group)


def write_shares(path: Path, checkpoint: dict[str, Any], group: Any = None) -> None:
    """Write a folder beside `path`, then rename it. Every rank calls this."""
    partial = path.with_name(path.name + ".partial")
    parts = {name: checkpoint[name] for name in SHARED_PARTS if name in checkpoint}
    if is_first_rank():
        remove_checkpoint(partial)
        partial.mkdir(parents=True)
        with (partial / "rest.ckpt").open("wb") as file:
            torch.save(checkpoint | empty_tensors(parts, "meta"), file)
            file.flush()
            os.fsync(file.fileno())
        if may_hold_objects():
            tell_objects(partial / "rest.ckpt", path)
    await_ranks(group=group)
    warnings.filterwarnings("ignore", "torch.distributed is disabled")  # one is alone
    state_dict_saver.save(
        named_tensors(parts),
        storage_writer=TensorWriter(partial),
        # what all ranks have is the first one's, as in a file
        planner=DefaultSavePlanner(dedup_save_to_lowest_rank=True),
        process_group=group,
    )
    if is_first_rank():
        put_in_place(partial, path)
    await_ranks(group=group)


def put_in_place(partial: Path, path: Path) -> None:
    """Rename a checkpoint that is whole, and remove the one before it only then."""
    replaced = path.with_name(path.name + ".replaced")
    remove_checkpoint(replaced)
    if path.exists():
        path.rename(replaced)
    partial.rename(path)
    remove_checkpoint(replaced)


def bring_back(path: Path) -> None:
    """Take what a run was about to replace when it was ended. Every rank calls this."""
    replaced = path.with_name(path.name + ".replaced")
    if is_first_rank() and replaced.exists() and not path.exists():
        replaced.rename(path)
    await_ranks()


def remove_checkpoint(path: Path) -> None:
    """Remove a folder, a file, or a link to one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def named_tensors(state: Any, path: str = "") -> dict[str, Tensor]:
    """The tensors in dicts and lists, by their paths."""
    if isinstance(state, Tensor):
        return {path: state}
    items = enumerate(state) if isinstance(state, list) else ()
    found: dict[str, Tensor] = {}
    for key, value in state.items() if isinstance(state, dict) else items:
        found |= named_tensors(value, f"{path}.{key}" if path else str(key))
    return found


def empty_tensors(state: Any, device: str) -> Any:
    """The same, with tensors of these shapes and types; those on `meta` have no values."""
    if isinstance(state, Tensor):
        return torch.empty(state.shape, dtype=state.dtype, device=device)
    if isinstance(state, dict):
        return {key: empty_tensors(value, device) for key, value in state.items()}
    if isinstance(state, list):
        return [empty_tensors(each, device) for each in state]
    return state


def file_in(path: Path) -> Path:
    """What of a checkpoint is no tensor of the model or the optimizer, or all of it."""
    return path / "rest.ckpt" if path.is_dir() else path


def read_shares_of(path: Path) -> dict[str, Any]:
    """A checkpoint of this script, whose tensors are read when it is known what of them this rank has."""
    checkpoint = read_checkpoint(file_in(path))
    return {**checkpoint, **({"folder": path} if path.is_dir() else {})}


def load_shares_of(path: Path) -> dict[str, Any]:
    """The same of any checkpoint, one without random states too."""
    checkpoint = load_checkpoint(file_in(path))
    return {**checkpoint, **({"folder": path} if path.is_dir() else {})}


def load_whole(path: Path, *parts: str) -> dict[str, Any]:
    """A checkpoint with all values of these parts."""
    checkpoint = load_shares_of(path)
    if "folder" in checkpoint:
        shapes = {name: checkpoint[name] for name in parts if name in checkpoint}
        values = empty_tensors(shapes, "cpu")
        fill(checkpoint.pop("folder"), values)
        checkpoint |= values
    return checkpoint


def load_saved(path: Any, device: Any = "cpu", safely: bool | None = True) -> Any:
    """A checkpoint of which an object is made: a model with its weights, or data."""
    if keeps_folders():
        return load_whole(Path(path), "state_dict")
    return load_checkpoint(path, device, safely)


def convert_checkpoint(path: Path, converted: Path) -> None:
    """Make a file of a folder, or a folder of a file."""
    checkpoint = load_whole(path, *SHARED_PARTS)
    converted.parent.mkdir(parents=True, exist_ok=True)
    write = write_checkpoint if path.is_dir() else write_shares
    write(converted, checkpoint)


def room_for(tensor: Any, like: Any = None) -> Any:
    """A tensor to read one into, shared out as another of its shape."""
    if not isinstance(tensor, Tensor) or not tensor.is_meta:
        return tensor
    if isinstance(like, DTensor) and like.shape == tensor.shape:
        return torch.empty_like(like, dtype=tensor.dtype)
    return torch.empty_like(tensor, device="cpu")


def fill(folder: Path, parts: dict[str, Any]) -> None:
    """Read what this rank has of the tensors in a folder."""
    tensors = named_tensors(parts)
    try:
        reader = TensorReader(folder)
        with warnings.catch_warnings():  # that no rank waits for another
            warnings.simplefilter("ignore", UserWarning)
            state_dict_loader.load(tensors, storage_reader=reader, no_dist=True)
    except CheckpointException as error:
        ((reason, _),) = error.failures.values()  # of this rank alone
        raise SystemExit(f"{folder} is damaged, or no checkpoint: {reason}") from None


def require_intact_tensors(folder: Path, ranks: Ranks) -> None:
    """Have the tensors of a folder be what was written; each rank reads a part of them."""
    reader = TensorReader(folder)
    stored = [*reader.read_metadata().storage_data.values()]
    for part in stored[ranks.rank :: ranks.world_size]:
        with (folder / part.relative_path).open("rb") as file:
            reader._slice_file(file, part)


def stored_weights(model: nn.Module, checkpoint: dict[str, Any]) -> dict[str, Any]:
    """This rank's shares of a checkpoint's weights."""
    state = checkpoint["state_dict"]
    if "folder" not in checkpoint:
        return shares_of_model(model, state)
    own, weights = model.state_dict(), dict(state)
    for name, value in state.items():
        weights[name] = room_for(value, own.get(name))
    fill(checkpoint["folder"], {"state_dict": weights})
    return weights


def stored_states(
    optimizer: Any, checkpoint: dict[str, Any], number: int = 0
) -> dict[str, Any]:
    """This rank's shares of an optimizer's states in a checkpoint."""
    state = checkpoint["optimizer_states"][number]
    if "folder" not in checkpoint:
        return shares_of_states(optimizer, state)
    parameters = optimized_parameters(optimizer)
    states = {
        place: {
            name: room_for(value, parameters[place]) for name, value in each.items()
        }
        for place, each in state["state"].items()
    }
    fill(checkpoint["folder"], {"optimizer_states": {number: {"state": states}}})
    return {**state, "state": states}
