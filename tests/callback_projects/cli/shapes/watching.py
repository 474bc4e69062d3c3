"""Callbacks of the project's own."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import Optional, Union

import torch
from lightning.pytorch.callbacks import Callback, ModelCheckpoint
from torch import nn
from torch.optim import Optimizer

from .layers import Scaled


class Speed(Enum):
    SLOW = 1
    FAST = 2


class Takes(Callback):
    """Notes what it is given, of every kind."""

    def __init__(
        self,
        make: Callable[[Iterable], Optimizer],
        loss: nn.Module,
        change: Callable,
        root: Path,
        every: Optional[timedelta] = None,
        speed: Speed = Speed.SLOW,
        kind: type[nn.Module] = nn.Identity,
        names: "set[str]" = frozenset(),
        pair: tuple[int, int] = (1, 2),
        sizes: Union[int, list[float], None] = None,
        factor: float = 1.0,
        table: dict[str, float] = {},
        mode: str = "none",
        inner: Scaled | None = None,
    ) -> None:
        given = (root, every, speed, kind, sorted(names), pair, sizes, factor, table, mode)
        self.lines = [repr(each) for each in given]
        optimizer = make([nn.Parameter(torch.ones(1))])
        self.lines += [type(optimizer).__name__, str(optimizer.param_groups[0]["lr"]), repr(loss), str(change(3.0))]
        self.lines.append(repr(inner))

    def on_train_start(self, trainer, pl_module):
        if trainer.is_global_zero:
            Path("takes.txt").write_text("\n".join(self.lines))


class Probe(Callback):
    """Draws weights when it is made, before the model does."""

    def __init__(self, norms: list[float], loss: nn.Module, name: str = "probe") -> None:
        self.norms, self.loss, self.name = norms, loss, name
        self.layer = nn.Linear(6, 1)

    @torch.no_grad()
    def on_train_epoch_end(self, trainer, pl_module):
        loss = self.loss(self.layer.weight, pl_module.layers[0].weight[:1])
        pl_module.log(f"{self.name}_loss", loss)
        if trainer.is_global_zero:
            with Path("probe.txt").open("a") as file:
                file.write(f"{trainer.current_epoch} {loss.item():.6f} {self.norms}\n")


class EveryOther(ModelCheckpoint):
    """Another kind of ModelCheckpoint."""

    def __init__(self, dirpath: str) -> None:
        super().__init__(dirpath=dirpath, filename="{epoch}", every_n_epochs=2, save_top_k=-1)
