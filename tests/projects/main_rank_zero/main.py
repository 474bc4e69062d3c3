"""What rank 0 alone does and says, and what a rank makes of its number; callbacks are asked whether they are bars."""

import os

import lightning as L
import torch
from lightning.fabric.utilities.rank_zero import _get_rank
from lightning.pytorch import callbacks as callbacks_of
from lightning.pytorch import utilities
from lightning.pytorch.callbacks import Callback, ProgressBar, RichProgressBar, TQDMProgressBar
from lightning.pytorch.utilities import rank_zero_info, rank_zero_only
from lightning.pytorch.utilities.model_helpers import is_overridden
from lightning.pytorch.utilities.model_summary import ModelSummary, summarize
from lightning.pytorch.utilities.rank_zero import rank_zero_debug, rank_zero_warn
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

L._logger.handlers = []
L._logger.propagate = True


class Tells(Callback):
    @rank_zero_only
    def on_train_epoch_end(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        rank_zero_info("epoch %s of %s", trainer.current_epoch, trainer.max_epochs)


class Net(L.LightningModule):
    def __init__(self, bars: list[int]) -> None:
        super().__init__()
        self.bars = bars
        self.layer = nn.Linear(4, 1)

    @rank_zero_only
    def bonus(self, factor: float) -> float:
        """A factor on rank 0, nothing on others."""
        return 0.25 * factor

    def training_step(self, batch: list[torch.Tensor], batch_idx: int) -> torch.Tensor:
        (x,) = batch
        loss = self.layer(x + 0.1 * utilities.rank_zero_only.rank).square().mean()
        rank_zero_debug("batch %s on rank %s", batch_idx, _get_rank())
        return self.scale * loss * (1 + (self.bonus(factor=2.0) or 0.0))

    def on_train_start(self) -> None:
        rank_zero_warn("this is said once", category=UserWarning)
        numbers = summarize(self, max_depth=2).param_nums
        hooks = [is_overridden(name, self) for name in ("on_train_start", "on_train_end")]
        self.scale = 1 + self.bars[-1] + self.bars.count(1) / 8 + numbers[0] * 0.01 + hooks.index(True) + hooks.count(True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def train_dataloader(self) -> DataLoader[tuple[torch.Tensor, ...]]:
        return DataLoader(TensorDataset(torch.arange(32.0).view(8, 4) / 10), batch_size=2)


def of_kind(found: list[Callback], kind: type) -> int:
    return sum(isinstance(each, kind) for each in found)


def first_callbacks(shows: bool) -> list[Callback]:
    found: list[Callback] = [Tells()]
    if not shows:
        return found
    for depth in range(2):
        found.append(callbacks_of.RichModelSummary(max_depth=depth))
    return found + [TQDMProgressBar()]


def main() -> None:
    L.seed_everything(4)
    callbacks: list[Callback] = first_callbacks(shows=True)
    bars = [of_kind(callbacks, ProgressBar), of_kind(kind=RichProgressBar, found=callbacks)]
    callbacks = [each for each in callbacks if isinstance(each, Tells)]
    for wanted in (False, True):
        if wanted and not any(isinstance(each, (TQDMProgressBar, RichProgressBar)) for each in callbacks):
            callbacks.append(TQDMProgressBar(refresh_rate=0))
            callbacks += [RichProgressBar(), callbacks_of.RichModelSummary(max_depth=2), callbacks_of.DeviceStatsMonitor()]
        bars += [sum(type(each) == TQDMProgressBar for each in callbacks), len(callbacks)]
        bars += [sum(isinstance(each, (ProgressBar, callbacks_of.ModelSummary)) for each in callbacks)]
    names = [type(each).__name__ for each in callbacks]
    bars += [names.index("DeviceStatsMonitor"), sum(each.__class__.__qualname__ == "Callback" for each in callbacks)]
    callbacks = [each for each in callbacks if type(each).__name__ != "DeviceStatsMonitor"]
    callbacks = [each for each in callbacks if not isinstance(each, (ProgressBar, callbacks_of.RichModelSummary))]
    bars.append(len(callbacks))
    devices = int(os.environ.get("DEVICES", 1))
    trainer = L.Trainer(
        max_epochs=2,
        accelerator="cpu",
        devices=devices,
        callbacks=callbacks,
        logger=False,
        enable_model_summary=of_kind(callbacks, callbacks_of.ModelSummary) > 0,
    )
    net = Net(bars)
    print(ModelSummary(net, max_depth=-1))
    trainer.fit(net)
    if rank_zero_only.rank == 0:
        print("trained")


if __name__ == "__main__":
    main()
