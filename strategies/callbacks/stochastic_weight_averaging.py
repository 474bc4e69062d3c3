"""The average of the weights that the last epochs end with."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim.swa_utils import SWALR

from ..loop.optimizers import Schedule
from .callbacks import Callback


class StochasticWeightAveraging(Callback):
    """Averages the weights of the last epochs, which have a learning rate of their own."""

    def __init__(
        self,
        swa_lrs: float | list[float],
        swa_epoch_start: float = 0.8,
        annealing_epochs: int = 10,
        annealing_strategy: str = "cos",
        avg_fn: Callable[[Tensor, Tensor, Tensor], Tensor] | None = None,
        device: torch.device | str | None = "cpu",
    ) -> None:
        check_averaging(swa_lrs, swa_epoch_start)
        self.n_averaged: Tensor | None = None
        self.momenta: dict[_BatchNorm, float | None] = {}
        self._swa_epoch_start = swa_epoch_start
        self._swa_lrs = swa_lrs
        self._annealing_epochs = annealing_epochs
        self._annealing_strategy: Any = annealing_strategy
        self._avg_fn = avg_fn
        self._device = device  # None: the model's
        self._average_model: Any = None
        self._initialized = False
        self._swa_scheduler: Any = None
        self._scheduler_state: Any = None  # of the run that goes on
        self._init_n_averaged = 0
        self._latest_update_epoch = -1

    @property
    def swa_start(self) -> int:
        """The first epoch, counted from 0."""
        return max(int(self._swa_epoch_start) - 1, 0)

    @property
    def swa_end(self) -> float:
        """The last one; the weights are the average's in the one after it."""
        return torch.inf if self._max_epochs == -1 else self._max_epochs - 1

    @staticmethod
    def pl_module_contains_batch_norm(pl_module: Any) -> bool:
        return any(isinstance(module, _BatchNorm) for module in pl_module.modules())

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Make room for the average."""
        self._average_model = deepcopy(pl_module)

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Have BatchNorm's statistics of the average taken in an epoch more."""
        if len(trainer.lr_scheduler_configs) > 1:
            raise ValueError("weights are averaged beside one scheduler at most")
        self._max_epochs = trainer.max_epochs
        if isinstance(self._swa_epoch_start, float):
            if trainer.max_epochs == -1:
                raise ValueError("without max_epochs, swa_epoch_start is an epoch")
            self._swa_epoch_start = int(trainer.max_epochs * self._swa_epoch_start)
        self._model_contains_batch_norm = self.pl_module_contains_batch_norm(pl_module)
        if self._model_contains_batch_norm and trainer.max_epochs != -1:
            trainer.max_epochs += 1
        if self._scheduler_state is not None:
            trainer.lr_scheduler_configs.clear()  # its own takes its state later

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Take the weights that the epoch before has ended with into the average."""
        is_averaging = self.swa_start <= trainer.current_epoch <= self.swa_end
        if is_averaging and not self._initialized:
            self._begin(trainer, pl_module)
        if is_averaging and trainer.current_epoch > self._latest_update_epoch:
            assert self.n_averaged is not None
            average, avg_fn = self._average_model, self._avg_fn or self.avg_fn
            self.update_parameters(average, pl_module, self.n_averaged, avg_fn)
            self._latest_update_epoch = trainer.current_epoch
        if trainer.current_epoch == self.swa_end + 1:
            self.transfer_weights(self._average_model, pl_module)
            self.reset_batch_norm_and_save_state(pl_module)
            self._have_only_statistics_taken(trainer)

    def _begin(self, trainer: Any, pl_module: Any) -> None:
        """Put a scheduler in the place of the other."""
        self._initialized = True
        self._average_model = self._average_model.to(self._device or pl_module.device)
        optimizer = trainer.optimizers[0]
        if isinstance(self._swa_lrs, float):
            self._swa_lrs = [self._swa_lrs] * len(optimizer.param_groups)
        for lr, group in zip(self._swa_lrs, optimizer.param_groups, strict=False):
            group["initial_lr"] = lr
        self._swa_scheduler = SWALR(
            optimizer,
            self._swa_lrs,  # type: ignore[arg-type]  # a list will do
            self._annealing_epochs,
            self._annealing_strategy,
            trainer.max_epochs if self._annealing_strategy == "cos" else -1,
        )
        if self._scheduler_state is not None:
            self._swa_scheduler.load_state_dict(self._scheduler_state)
        trainer.lr_scheduler_configs[:1] = [Schedule(self._swa_scheduler)]
        if self.n_averaged is None:
            self.n_averaged = torch.tensor(
                self._init_n_averaged, dtype=torch.long, device=pl_module.device
            )

    def _have_only_statistics_taken(self, trainer: Any) -> None:
        """In the epoch that begins, no batch ends a step but the last, and none has gradients."""
        trainer.num_training_batches += 1
        if trainer.num_training_batches == torch.inf:
            raise ValueError(
                "BatchNorm's statistics need to know how many batches come"
            )
        trainer.skips_backward = True
        self._accumulate_grad_batches = trainer.accumulate_grad_batches
        trainer.accumulate_grad_batches = trainer.num_training_batches

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        trainer.skips_backward = False

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Leave the average as the model's weights, if it is not there yet."""
        last = trainer.current_epoch - 1
        has_end = self._max_epochs != -1
        if self._model_contains_batch_norm and has_end and last == self.swa_end + 1:
            trainer.accumulate_grad_batches = self._accumulate_grad_batches
            trainer.num_training_batches -= 1
            trainer.max_epochs -= 1
            self.reset_momenta()
        elif last == self.swa_end or not has_end:
            self.transfer_weights(self._average_model, pl_module)

    @staticmethod
    def transfer_weights(src_pl_module: nn.Module, dst_pl_module: nn.Module) -> None:
        parameters = zip(
            src_pl_module.parameters(), dst_pl_module.parameters(), strict=False
        )
        for source, target in parameters:
            target.detach().copy_(source.to(target.device))

    def reset_batch_norm_and_save_state(self, pl_module: Any) -> None:
        """Have statistics begin anew, as the mean over all batches."""
        self.momenta = {}
        for module in pl_module.modules():
            if isinstance(module, _BatchNorm):
                mean, var = module.running_mean, module.running_var
                assert mean is not None
                assert var is not None
                module.running_mean = torch.zeros_like(mean, device=pl_module.device)
                module.running_var = torch.ones_like(var, device=pl_module.device)
                self.momenta[module], module.momentum = module.momentum, None
                assert module.num_batches_tracked is not None
                module.num_batches_tracked.zero_()

    def reset_momenta(self) -> None:
        for module in self.momenta:
            module.momentum = self.momenta[module]

    @staticmethod
    def update_parameters(
        average_model: nn.Module,
        model: nn.Module,
        n_averaged: Tensor,
        avg_fn: Callable[[Tensor, Tensor, Tensor], Tensor],
    ) -> None:
        """Take the model's weights into the average of so many."""
        parameters = zip(average_model.parameters(), model.parameters(), strict=False)
        for average, parameter in parameters:
            mean, new = average.detach(), parameter.detach().to(average.device)
            if n_averaged != 0:
                new = avg_fn(mean, new, n_averaged.to(average.device))
            mean.copy_(new)
        n_averaged += 1

    @staticmethod
    def avg_fn(
        averaged_model_parameter: Tensor, model_parameter: Tensor, num_averaged: Tensor
    ) -> Tensor:
        """The mean, with one more."""
        change = model_parameter - averaged_model_parameter
        return averaged_model_parameter + change / (num_averaged + 1)

    def state_dict(self) -> dict[str, Any]:
        """The average, of how many it is, and its scheduler."""
        count, scheduler = self.n_averaged, self._swa_scheduler
        average = self._average_model
        return {
            "n_averaged": 0 if count is None else count.item(),
            "latest_update_epoch": self._latest_update_epoch,
            "scheduler_state": None if scheduler is None else scheduler.state_dict(),
            "average_model_state": None if average is None else average.state_dict(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on averaging."""
        self._init_n_averaged = state_dict["n_averaged"]
        self._latest_update_epoch = state_dict["latest_update_epoch"]
        self._scheduler_state = state_dict["scheduler_state"]
        if self._average_model is not None:
            self._average_model.load_state_dict(state_dict["average_model_state"])


def check_averaging(swa_lrs: float | list[float], swa_epoch_start: float) -> None:
    """Raises ValueError for arguments that StochasticWeightAveraging cannot have."""
    is_count = isinstance(swa_epoch_start, int)
    if swa_epoch_start < 1 if is_count else not 0 <= swa_epoch_start <= 1:
        raise ValueError("swa_epoch_start is an epoch from 1 on, or a share")
    rates = swa_lrs if isinstance(swa_lrs, list) else [swa_lrs]
    if not all(isinstance(rate, float) and rate > 0 for rate in rates):
        raise ValueError("swa_lrs is a positive float, or a list of them")
