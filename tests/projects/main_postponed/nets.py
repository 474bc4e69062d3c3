"""A file of which no annotation is looked up where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Optional

import lightning as L
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nowhere import Nothing


@dataclass
class Shape:
    classes: int = 3
    kind: Literal["plain", 'it\'s "so"'] = "plain"
    head: Optional["Head"] = None
    tail: (
        Head  # of another kind
        | None
    ) = None
    shared: ClassVar[list[int]] = []


class Head(nn.Linear):
    def asked(self, names: Sequence[Nothing], *rest: Nothing) -> Nothing:
        kept: Nothing = names
        self.kept: Nothing = kept

        def last(given: Nothing) -> Nothing:
            return given[-1]

        return last(self.kept)


class Net(L.LightningModule):
    def __init__(self, width: int, rate: float, shape: Shape) -> None:
        super().__init__()
        self.rate = rate
        self.layer = Head(width, int(shape.classes))

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor], batch_idx: int) -> torch.Tensor:
        loss = nn.functional.cross_entropy(self.layer(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=self.rate)
