"""Checkpoints that callbacks save as a batch ends: from there a run goes on."""

from collections.abc import Callable
from functools import partial
from typing import Any


def saves_at_batch_ends() -> bool:
    """Whether what is to be saved within an epoch waits until nothing of the batch is left to be done."""
    return False


def save_at_batch_end(trainer: Any, save: Callable[..., None], *arguments: Any) -> None:
    """Have it saved then; between batches, now."""
    if trainer.at_batch_end is None:
        save(*arguments)
    else:
        trainer.at_batch_end.append(partial(save, *arguments))
