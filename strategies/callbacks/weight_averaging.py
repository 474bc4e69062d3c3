"""An average of the weights beside those that are trained, with which the model is validated."""

import itertools
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_avg_fn

from .callbacks import Callback


class WeightAveraging(Callback):
    """Averages the weights after steps or epochs, as `AveragedModel` does; the model ends with the average."""

    def __init__(
        self,
        device: torch.device | str | int | None = None,
        use_buffers: bool = True,
        **kwargs: Any,
    ) -> None:
        self._device = torch.device(device) if isinstance(device, str) else device
        self._options = {"use_buffers": use_buffers, **kwargs}
        self._average_model: AveragedModel | None = None
        self._latest_update_step = 0
        self._latest_update_epoch = -1

    def should_update(
        self, step_idx: int | None = None, epoch_idx: int | None = None
    ) -> bool:
        """Whether to average after this step, or this epoch."""
        return step_idx is not None

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Begin with the weights that the model has."""
        if stage == "fit":
            if hasattr(pl_module, "configure_model"):
                pl_module.configure_model()  # so that the average has all layers
            device = self._device or pl_module.device
            self._average_model = AveragedModel(pl_module, device, **self._options)

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Average after a step."""
        step = trainer.global_step
        if step > self._latest_update_step and self.should_update(step_idx=step - 1):
            assert self._average_model is not None
            self._average_model.update_parameters(pl_module)
            self._latest_update_step = step

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Average after an epoch."""
        epoch = trainer.current_epoch
        if epoch > self._latest_update_epoch and self.should_update(epoch_idx=epoch):
            assert self._average_model is not None
            self._average_model.update_parameters(pl_module)
            self._latest_update_epoch = epoch

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Leave the average as the model's weights."""
        for average, current in self._pairs(pl_module):
            current.data.copy_(average.data)

    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Validate the average."""
        self._swap_models(pl_module)

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Go on with the weights that are trained."""
        self._swap_models(pl_module)

    def _swap_models(self, pl_module: nn.Module) -> None:
        for average, current in self._pairs(pl_module):
            former = average.data.clone()
            average.data.copy_(current.data)
            current.data.copy_(former)

    def _pairs(self, pl_module: nn.Module) -> Iterator[tuple[Tensor, Tensor]]:
        """The average's parameters and buffers, each with the model's."""
        if self._average_model is None:
            return iter(())  # it is not trained
        average = self._average_model.module
        return zip(
            itertools.chain(average.parameters(), average.buffers()),
            itertools.chain(pl_module.parameters(), pl_module.buffers()),
            strict=False,
        )

    def state_dict(self) -> dict[str, Any]:
        return {"latest_update_step": self._latest_update_step}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._latest_update_step = state_dict["latest_update_step"]

    def on_save_checkpoint(
        self, trainer: Any, pl_module: Any, checkpoint: dict[str, Any]
    ) -> None:
        """Save the average as the model's weights, and those that are trained beside it."""
        if self._average_model is None:
            return
        checkpoint["current_model_state"] = checkpoint["state_dict"]
        weights: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name, value in self._average_model.state_dict().items():
            part = weights if name.startswith("module.") else others
            part[name.removeprefix("module.")] = value
        checkpoint |= {"state_dict": weights, "averaging_state": others}

    def on_load_checkpoint(
        self, trainer: Any, pl_module: Any, checkpoint: dict[str, Any]
    ) -> None:
        """Go on with the average, and with the weights that are trained."""
        if self._average_model is None:
            return
        if "averaging_state" in checkpoint and "current_model_state" in checkpoint:
            weights = checkpoint["state_dict"].items()
            state = {f"module.{name}": value for name, value in weights}
            self._average_model.load_state_dict(state | checkpoint["averaging_state"])
            pl_module.load_state_dict(checkpoint["current_model_state"])
        else:
            weights = deepcopy(checkpoint["state_dict"])
            self._average_model.module.load_state_dict(weights, strict=False)


class EMAWeightAveraging(WeightAveraging):
    """Averages the weights after steps, the newest with a share of `1 - decay`."""

    def __init__(
        self,
        device: torch.device | str | int | None = None,
        use_buffers: bool = True,
        decay: float = 0.999,
        update_every_n_steps: int = 1,
        update_starting_at_step: int | None = None,
        update_starting_at_epoch: int | None = None,
        **kwargs: Any,
    ) -> None:
        mean: Any = get_ema_avg_fn  # torch gives it no types
        super().__init__(device, use_buffers, avg_fn=mean(decay), **kwargs)
        self.update_every_n_steps = update_every_n_steps
        self.update_starting_at_step = update_starting_at_step
        self.update_starting_at_epoch = update_starting_at_epoch

    def should_update(
        self, step_idx: int | None = None, epoch_idx: int | None = None
    ) -> bool:
        """Whether to average after this step, or this epoch."""
        if step_idx is not None:
            first, every = self.update_starting_at_step, self.update_every_n_steps
            is_turn = every > 0 and step_idx % every == 0
            return is_turn and (first is None or step_idx >= first)
        start = self.update_starting_at_epoch
        return epoch_idx is not None and start is not None and epoch_idx >= start
