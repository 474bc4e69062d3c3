"""Checkpoints that a thread writes while training goes on."""

import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.staging import DefaultStager, StagingOptions

from .checkpoint import write_checkpoint
from .sharded_checkpoint import is_first_rank, keeps_folders, write_shares

Fit = TypeVar("Fit", bound=Callable[..., Any])


class BackgroundWriter:
    """Writes copies of checkpoints, one at a time."""

    def __init__(self) -> None:
        cuda: Any = torch.cuda
        on_gpu = cuda.is_initialized()  # memory is pinned, and copied at once
        self.stager = DefaultStager(StagingOptions(on_gpu, False, False, on_gpu))
        self.thread = ThreadPoolExecutor(1, "checkpoints")
        self.pending: Future[None] | None = None
        self.trains = False  # else there is nothing to do meanwhile

    def write(
        self, write: Callable[..., None], path: Path, checkpoint: Any, *more: Any
    ) -> None:
        """Copy the state, in memory that the next one takes again, and write the copy meanwhile."""
        self.finish()
        self.then(write, path, self.stager.stage(checkpoint), *more)

    def then(self, action: Callable[..., None], *arguments: Any) -> None:
        """Do this after what is pending, unless that fails."""
        self.pending = self.thread.submit(do_after, self.pending, action, *arguments)
        if not self.trains:
            self.finish()

    def finish(self) -> None:
        """Wait for what is pending; its error is raised here."""
        pending, self.pending = self.pending, None
        if pending is not None:
            pending.result()


def do_after(
    pending: Future[None] | None, action: Callable[..., None], *arguments: Any
) -> None:
    """Do something, unless what it follows has failed."""
    if pending is not None:
        pending.result()
    action(*arguments)


@cache
def background() -> BackgroundWriter:
    """What writes this process's checkpoints."""
    return BackgroundWriter()


@cache
def group_of_writers() -> Any:
    """The ranks once more, so that what threads tell each other is not taken for training's. Every rank calls this."""
    return dist.new_group(backend="gloo") if dist.is_initialized() else None


def saves_in_background() -> bool:
    """Whether checkpoints are written while training goes on."""
    return False


def write_in_background(path: Path, checkpoint: dict[str, Any]) -> None:
    """Have the checkpoint, as it is now, written while training goes on. Every rank calls this."""
    if keeps_folders():
        background().write(write_shares, path, checkpoint, group_of_writers())
    elif is_first_rank():
        path.parent.mkdir(parents=True, exist_ok=True)
        background().write(write_checkpoint, path, checkpoint)


def finishes_saving(fit: Fit) -> Fit:
    """Have the last checkpoint whole when training ends, or fails."""

    @wraps(fit)
    def finishing(*arguments: Any, **options: Any) -> Any:
        background().trains = True
        try:
            result = fit(*arguments, **options)
        except BaseException:
            try:
                background().finish()
            except (Exception, SystemExit) as error:  # noqa: BLE001  # first ones win
                warnings.warn(f"a checkpoint was not saved: {error}", stacklevel=2)
            raise
        finally:
            background().trains = False
        background().finish()
        return result

    return cast(Fit, finishing)
