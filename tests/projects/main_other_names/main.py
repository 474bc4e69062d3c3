"""Names of Lightning's in other words: aliases, one of several imports, `getattr` of names in quotes and in data."""

import os
from typing import List, Union

import lightning as L
import torch
from lightning.pytorch import callbacks
from lightning.pytorch.loggers import Logger as Base
from lightning.pytorch.strategies import DDPStrategy, DeepSpeedStrategy, FSDPStrategy, SingleDeviceStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

try:
    from lightning.pytorch.loggers import CSVLogger as Logger
except ImportError:
    from lightning.pytorch.loggers import TensorBoardLogger as Logger

try:
    import no_such_package
    from lightning.pytorch.loggers import TensorBoardLogger as Second
except ModuleNotFoundError:
    from lightning.pytorch.loggers.csv_logs import CSVLogger as Second

try:
    from lightning.pytorch.profilers import AdvancedProfiler
except ImportError:
    AdvancedProfiler = None

try:
    import lightning.pytorch as pl

    HAS_LIGHTNING = True
except ImportError:
    pl = None
    HAS_LIGHTNING = False

Trainer = L.Trainer
Loggers = Union[Base, List[Base], bool]
Stopping = getattr(callbacks, "EarlyStopping")
OTHERS = {"Timer": {}, "ModelSummary": {"max_depth": 2}, "GradientAccumulationScheduler": {"scheduling": {2: 2}}}
RANK = os.environ.get("RANK", "0")


class Data(pl.LightningDataModule if HAS_LIGHTNING else object):
    def train_dataloader(self):
        x = torch.randn(16, 4, generator=torch.Generator().manual_seed(16))
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=True)


class Net(nn.Module if pl is None else pl.LightningModule):
    def __init__(self, seen):
        L.LightningModule.__init__(self)
        self.seen = seen
        self.layer = nn.Linear(4, 1)

    def on_fit_start(self):
        import string as L

        strategy = type(self.trainer.strategy).__name__
        shares = isinstance(self.trainer.strategy, (DDPStrategy, FSDPStrategy))
        self.seen.append((strategy, shares, L.digits, self.offloads, self._device.type))

    @property
    def offloads(self):
        held = self.trainer.strategy
        if isinstance(held, DeepSpeedStrategy):
            return held.config["zero_optimization"].get("offload_optimizer")
        return isinstance(held, SingleDeviceStrategy) and held.root_device.type

    def training_step(self, batch, batch_idx):
        loss = nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


def stops(late):
    if late:
        from lightning.pytorch.callbacks import EarlyStopping as Stops
    else:
        from lightning.pytorch.callbacks import Timer as Stops
    return Stops("loss", mode="max", patience=2) if late else Stops(interval="epoch")


def loggers() -> Loggers:
    found: List[Base] = [Logger("logs"), Second("more", name=None)]
    return found or False


def main():
    L.seed_everything(3)
    seen = []
    others = [getattr(callbacks, name)(**options) for name, options in OTHERS.items()]
    trainer = Trainer(
        max_epochs=9,
        logger=loggers(),
        profiler=AdvancedProfiler() if AdvancedProfiler else None,
        callbacks=[Stopping(monitor="loss", min_delta=1.0, patience=4), *others, stops(True)],
        enable_checkpointing=False,
    )
    trainer.fit(Net(seen), datamodule=Data())
    if isinstance(trainer.strategy, SingleDeviceStrategy):
        seen.append("alone")
    seen.append(Second.__name__)
    torch.save([*seen, trainer.current_epoch], f"main_other_names.{RANK}.results.pt")


if __name__ == "__main__":
    main()
