"""Objects that write, read and remove a trainer's checkpoints."""

from pathlib import Path
from typing import Any

from .checkpoint import load_checkpoint, write_checkpoint
from .sharded_checkpoint import remove_checkpoint


def has_checkpoint_io() -> bool:
    """Whether trainers have such objects: all of them, then."""
    return False


class CheckpointIO:
    """Classes that derive from it say how checkpoints are written, read and removed."""

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: Any, storage_options: Any = None
    ) -> None:
        """Write a checkpoint. Rank 0 alone calls this."""

    def load_checkpoint(
        self, path: Any, map_location: Any = None, weights_only: bool | None = None
    ) -> Any:
        """What was written. Every rank calls this."""

    def remove_checkpoint(self, path: Any) -> None:
        """Remove a checkpoint. Rank 0 alone calls this."""

    def teardown(self) -> None:
        """Nothing is left to be done."""


class TorchCheckpointIO(CheckpointIO):
    """Has each checkpoint in a file, as `torch.save` writes it."""

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: Any, storage_options: Any = None
    ) -> None:
        if storage_options is not None:
            raise TypeError("files are written without storage_options")
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_checkpoint(Path(path), checkpoint)

    def load_checkpoint(
        self, path: Any, map_location: Any = "cpu", weights_only: bool | None = None
    ) -> Any:
        return load_checkpoint(path, map_location, weights_only)

    def remove_checkpoint(self, path: Any) -> None:
        remove_checkpoint(Path(path))


def checkpoint_io_among(plugins: Any) -> CheckpointIO:
    """The one that a trainer is given; files are written where it is given none."""
    given = plugins if isinstance(plugins, list | tuple) else [plugins]
    found = (each for each in given if isinstance(each, CheckpointIO))
    return next(found, TorchCheckpointIO())


def require_own(checkpoint: dict[str, Any], path: Any) -> None:
    """Have what was read be all that a run needs to go on."""
    if "rng_states" not in checkpoint:
        raise SystemExit(f"no run goes on from {path}: it is not this script's")
