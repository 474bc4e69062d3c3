"""What Lightning makes of `self.log(...)`: its own classes, driven by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import lightning as L
import torch
from ddpgen.strategies.metrics.logs import Logs
from lightning.fabric.utilities.distributed import _sync_ddp_if_available
from lightning.pytorch.trainer.connectors.logger_connector.logger_connector import _LoggerConnector
from lightning.pytorch.trainer.connectors.logger_connector.result import _ResultCollection
from torch import Tensor

Values = dict[str, Tensor]


class LightningLogs:
    """Lightning's side: the same calls as `OurLogs`."""

    def __init__(
        self, training: bool, model: L.LightningModule | None = None, distributed: bool = False
    ) -> None:
        self.model = model or L.LightningModule()
        self.stage = "train" if training else "validation"
        self.step = "training_step" if training else "validation_step"
        trainer: Any = SimpleNamespace(
            _accelerator_connector=SimpleNamespace(is_distributed=distributed),
            _results=_ResultCollection(training),
            barebones=False,
            logger=None,
            sanity_checking=False,
            strategy=SimpleNamespace(reduce=_sync_ddp_if_available),
            training=training,
        )
        self.connector = trainer._logger_connector = _LoggerConnector(trainer)
        self.model._trainer = trainer

    def start_batch(self, batch: Any) -> None:
        self.connector.on_batch_start(batch)
        self.model._current_fx_name = self.step

    def log(self, name: str, value: Any, **options: Any) -> None:
        self.model.log(name, value, **options)

    def end_batch(self) -> dict[str, Any]:
        """What goes to the logger and to the progress bar, and what callbacks see from now on."""
        shown = self.connector.metrics
        self.connector.on_batch_end()
        return {"log": shown["log"], "bar": shown["pbar"]}

    def end_batches(self) -> None:
        """From now on, `log` is called by the hook at the epoch's end."""
        self.connector.epoch_end_reached()
        self.model._current_fx_name = f"on_{self.stage}_epoch_end"

    def end_epoch(self) -> dict[str, Any]:
        self.connector.on_epoch_end()
        shown = self.connector.metrics
        self.connector.reset_results()
        return {"log": shown["log"], "bar": shown["pbar"]}

    @property
    def seen_by_callbacks(self) -> Values:
        return self.connector._callback_metrics

    def read_by_callbacks(self) -> Values:
        return self.connector.callback_metrics


class OurLogs:
    """Our side, called as a script calls it."""

    def __init__(self, training: bool) -> None:
        self.logs = Logs(training, torch.device("cpu"))

    def start_batch(self, batch: Any) -> None:
        self.logs.batch_size = len(batch)

    def log(self, name: str, value: Any, **options: Any) -> None:
        self.logs(name, value, **options)

    def end_batch(self) -> dict[str, Any]:
        return self._shown(self.logs.step_values)

    def end_batches(self) -> None:
        self.logs.batch_size = None

    def end_epoch(self) -> dict[str, Any]:
        return self._shown(self.logs.end_epoch())

    def _shown(self, metrics: dict[str, Tensor]) -> dict[str, Any]:
        return {"log": self.logs.written(metrics), "bar": self.logs.bar_values(metrics)}

    @property
    def seen_by_callbacks(self) -> Values:
        return self.logs.latest

    def read_by_callbacks(self) -> Values:
        return self.logs.callback_metrics()


def same_values(one: Values, other: Values) -> bool:
    """The same names with the same values and types, NaN like NaN."""
    return one.keys() == other.keys() and all(same_value(one[name], other[name]) for name in one)


def same_value(one: Tensor, other: Tensor) -> bool:
    if (one.dtype, one.shape, one.requires_grad) != (other.dtype, other.shape, other.requires_grad):
        return False
    return torch.equal(one, other) or bool(one.isnan().all() and other.isnan().all())
