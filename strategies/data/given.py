"""Loaders in the place of a data module."""

from typing import Any

import torch

from .data import to_device


class GivenLoaders:
    """Loaders where a data module may be given, without its hooks."""

    trainer: Any = None

    def __init__(self, train_loader: Any, val_loader: Any = None) -> None:
        self.train_loader = train_loader
        if val_loader is not None:  # else there is no such hook
            self.val_dataloader = lambda: val_loader

    def prepare_data(self) -> None: ...

    def setup(self, stage: str) -> None: ...

    def teardown(self, stage: str) -> None: ...

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None: ...

    def on_before_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch

    def transfer_batch_to_device(
        self, batch: Any, device: torch.device, dataloader_idx: int
    ) -> Any:
        return to_device(batch, device)

    def on_after_batch_transfer(self, batch: Any, dataloader_idx: int) -> Any:
        return batch

    def train_dataloader(self) -> Any:
        return self.train_loader
