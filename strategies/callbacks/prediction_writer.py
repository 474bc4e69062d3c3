"""Predictions handed to a callback that writes them, with the numbers of their samples."""

from collections.abc import Iterator
from copy import copy
from enum import Enum
from typing import Any

from torch.utils.data import DataLoader

from .callbacks import Callback


class WriteInterval(str, Enum):
    """When predictions are written."""

    BATCH = "batch"
    EPOCH = "epoch"
    BATCH_AND_EPOCH = "batch_and_epoch"

    @property
    def on_batch(self) -> bool:
        return self != WriteInterval.EPOCH

    @property
    def on_epoch(self) -> bool:
        return self != WriteInterval.BATCH


class BasePredictionWriter(Callback):
    """Has its methods write each batch of predictions, or all of them."""

    def __init__(self, write_interval: str = "batch") -> None:
        self.interval = WriteInterval(write_interval)

    def write_on_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        prediction: Any,
        batch_indices: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int,
    ) -> None:
        raise NotImplementedError

    def write_on_epoch_end(
        self, trainer: Any, pl_module: Any, predictions: Any, batch_indices: Any
    ) -> None:
        raise NotImplementedError

    def on_predict_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        if self.interval.on_batch:
            place = (trainer.batch_indices, batch, batch_idx, dataloader_idx)
            self.write_on_batch_end(trainer, pl_module, outputs, *place)

    def on_predict_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        if self.interval.on_epoch:
            made = trainer.predictions, trainer.epoch_batch_indices
            self.write_on_epoch_end(trainer, pl_module, *made)


class NotedBatches:
    """A batch sampler that keeps the numbers of the samples which it has given."""

    def __init__(self, batches: Any) -> None:
        self.batches = batches
        self.given: list[list[int]] = []

    def __iter__(self) -> Iterator[list[int]]:
        self.given = []
        for batch in self.batches:
            self.given.append(batch)
            yield batch

    def __len__(self) -> int:
        return len(self.batches)


def noting_batches(loader: Any) -> Any:
    """The loader, which keeps the numbers of the samples in its batches."""
    if isinstance(loader, DataLoader) and loader.batch_sampler is not None:
        loader = copy(loader)  # the one that is given stays as it is
        batches = NotedBatches(loader.batch_sampler)
        vars(loader).update(batch_sampler=batches, _iterator=None)  # with its workers
    return loader


def note_indices(
    trainer: Any, loader: Any, batch_idx: int, dataloader_idx: int = 0
) -> None:
    """Tell the trainer which samples are in a batch, where the loader knows."""
    batches = getattr(loader, "batch_sampler", None)
    if isinstance(batches, NotedBatches):
        trainer.batch_indices = batches.given[batch_idx]
        trainer.epoch_batch_indices[dataloader_idx].append(trainer.batch_indices)


def writes_epochs(callbacks: list[Any]) -> bool:
    """Whether one of them writes all predictions at the end."""
    writers = (each for each in callbacks if isinstance(each, BasePredictionWriter))
    return any(writer.interval.on_epoch for writer in writers)
