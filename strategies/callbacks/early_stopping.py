"""When training stops before its last epoch."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

import torch
from torch import Tensor

from ..distributed.rank_zero import rank_zero_warn
from .callbacks import Callback, any_rank


class EarlyStoppingReason(Enum):
    """Why training stopped."""

    NOT_STOPPED = 0
    STOPPING_THRESHOLD = 1
    DIVERGENCE_THRESHOLD = 2
    PATIENCE_EXHAUSTED = 3
    NON_FINITE_METRIC = 4


@dataclass(eq=False)
class EarlyStopping(Callback):
    """Stops training when what it monitors no longer improves."""

    monitor: str
    min_delta: float = 0.0  # a smaller change is no improvement
    patience: int = 3  # checks without improvement
    verbose: bool = False
    mode: str = "min"  # or max: which value is better
    strict: bool = True  # a missing metric is an error
    check_finite: bool = True  # stop at NaN and infinity
    stopping_threshold: float | None = None  # stop when better than that
    divergence_threshold: float | None = None  # stop when worse than that
    check_on_train_epoch_end: bool | None = None  # or when validation ends
    log_rank_zero_only: bool = False

    says_why = True  # some code reads `stopping_reason_message`, or it is printed
    has_own_criteria = True  # some code asks for criteria, or has its own
    has_own_skips = True  # some code says itself when no check is due
    decides_in_setup = True  # some code asks when it checks
    turns_delta = True  # some code reads or changes `min_delta`
    has_own_modes = True  # some code says how values are compared

    mode_dict: ClassVar[dict[str, Callable[..., Any]]] = {  # what compares two values
        "min": torch.lt,
        "max": torch.gt,
    }
    order_dict: ClassVar[dict[str, str]] = {"min": "<", "max": ">"}  # as it is written

    def __post_init__(self) -> None:
        if self.has_own_modes:
            self._begin_by_comparison()
        else:
            if self.mode not in ("min", "max"):
                raise ValueError(f"mode is 'min' or 'max', not {self.mode!r}")
            if self.turns_delta and self.mode == "min":
                self.min_delta *= -1  # it is always subtracted
            self.best_score = torch.tensor(
                torch.inf if self.mode == "min" else -torch.inf
            )
        self.wait_count = 0
        self.stopped_epoch = 0
        self._stopping_reason = 0  # to stop, as checkpoints number it; 0: none
        if self.says_why:
            self.stopping_reason_message: str | None = None

    def _begin_by_comparison(self) -> None:
        """No value is best yet, by what compares values in this mode."""
        if self.mode not in self.mode_dict:
            raise ValueError(f"mode is one of {[*self.mode_dict]}, not {self.mode!r}")
        if self.monitor_op != torch.gt:
            self.min_delta *= -1
        is_falling = self.monitor_op == torch.lt
        self.best_score = torch.tensor(torch.inf if is_falling else -torch.inf)

    @property
    def stopping_reason(self) -> EarlyStoppingReason:
        """Why training stopped."""
        return EarlyStoppingReason(self._stopping_reason)

    @stopping_reason.setter
    def stopping_reason(self, reason: EarlyStoppingReason) -> None:
        self._stopping_reason = reason.value

    @property
    def state_key(self) -> str:
        """Under which a checkpoint keeps the callback's state."""
        values = f"{{'monitor': {self.monitor!r}, 'mode': {self.mode!r}}}"
        return type(self).__qualname__ + values

    def state_dict(self) -> dict[str, Any]:
        """The best value, and how long ago it was."""
        state = {
            "wait_count": self.wait_count,
            "stopped_epoch": self.stopped_epoch,
            "best_score": self.best_score,
            "patience": self.patience,
            "stopping_reason": self._stopping_reason,
        }
        if self.says_why:
            state["stopping_reason_message"] = self.stopping_reason_message
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on waiting."""
        self.wait_count = state_dict["wait_count"]
        self.stopped_epoch = state_dict["stopped_epoch"]
        self.best_score = state_dict["best_score"]
        self.patience = state_dict["patience"]
        self._stopping_reason = state_dict["stopping_reason"]
        if self.says_why:
            self.stopping_reason_message = state_dict["stopping_reason_message"]

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Decide when to check."""
        if self.check_on_train_epoch_end is None:
            is_each_epoch = trainer.check_val_every_n_epoch == 1
            at_its_end = trainer.val_check_interval == 1.0
            self.check_on_train_epoch_end = is_each_epoch and at_its_end

    @property
    def _check_on_train_epoch_end(self) -> bool | None:
        """Whether to check at the epoch's end; None: it is not decided yet."""
        return self.check_on_train_epoch_end

    @_check_on_train_epoch_end.setter
    def _check_on_train_epoch_end(self, at_epoch_end: bool | None) -> None:
        self.check_on_train_epoch_end = at_epoch_end

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Check at the epoch's end."""
        if self._checks_on_train_epoch_end(trainer) and not (
            self.has_own_skips and self._should_skip_check(trainer)
        ):
            self._run_early_stopping_check(trainer)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Check after a validation."""
        if self._checks_on_train_epoch_end(trainer):
            return
        if not self._should_skip_check(trainer):
            self._run_early_stopping_check(trainer)

    def _should_skip_check(self, trainer: Any) -> bool:
        """Whether this is no training."""
        is_trial: bool = trainer.sanity_checking
        return is_trial or trainer.state_fn != "fit"

    def _checks_on_train_epoch_end(self, trainer: Any) -> bool:
        if self.decides_in_setup:
            return bool(self.check_on_train_epoch_end)
        if self.check_on_train_epoch_end is not None:
            return self.check_on_train_epoch_end
        if trainer.check_val_every_n_epoch != 1:
            return False
        return bool(trainer.val_check_interval == 1.0)

    def _run_early_stopping_check(self, trainer: Any) -> None:
        """Stop on all ranks if one has reason to. Every rank calls this."""
        if trainer.fast_dev_run:
            return
        metrics = trainer.callback_metrics
        if self.monitor not in metrics:
            self._miss_metric(trainer, metrics)
            return
        before = self.best_score
        current = metrics[self.monitor].squeeze()
        if self.has_own_criteria:
            stops, message = self._evaluate_stopping_criteria(current)
            should_stop = any_rank(bool(stops))
        else:
            reason = self._reason_to_stop(current)
            self._stopping_reason = reason or self._stopping_reason
            should_stop = any_rank(reason > 0)
        if should_stop:
            trainer.should_stop = True
            self.stopped_epoch = trainer.current_epoch
        if self.says_why and not self.has_own_criteria:
            message = self._message(EarlyStoppingReason(reason), current, before)
        if self.says_why:
            self._say(trainer, message, should_stop)

    def _evaluate_stopping_criteria(self, current: Tensor) -> tuple[bool, str | None]:
        """Whether to stop after this value, and what there is to say of it."""
        before = self.best_score
        reason = self._reason_to_stop(current)
        self._stopping_reason = reason or self._stopping_reason
        return reason > 0, self._message(EarlyStoppingReason(reason), current, before)

    def _validate_condition_metric(self, logs: dict[str, Tensor]) -> bool:
        """Whether the metric is there; an error, where it has to be."""
        if logs.get(self.monitor) is not None:
            return True
        message = f"EarlyStopping: no {self.monitor!r} among {sorted(logs)}"
        if self.strict:
            raise RuntimeError(message)
        if self.verbose:
            rank_zero_warn(message)
        return False

    def _miss_metric(self, trainer: Any, metrics: dict[str, Tensor]) -> None:
        """An error, a warning or nothing."""
        message = f"EarlyStopping: no {self.monitor!r} among {sorted(metrics)}"
        if self.strict:
            raise RuntimeError(message)
        if self.verbose and trainer.global_rank == 0:
            warnings.warn(message, stacklevel=2)

    def _reason_to_stop(self, current: Tensor) -> int:
        """Why to stop after this value, as checkpoints number it; 0: training goes on."""
        if self.check_finite and not current.isfinite():
            return 4  # not finite
        goal = self.stopping_threshold
        if goal is not None and self._is_better(current, goal):
            return 1  # good enough
        limit = self.divergence_threshold
        if limit is not None and (
            self._is_better(-current, -limit)
            if self.has_own_modes
            else self._is_better(limit, current)
        ):
            return 2  # too bad
        reached = (
            current - self.min_delta
            if self.turns_delta or self.mode == "max"
            else current + self.min_delta
        )
        if self._is_better(reached, self.best_score.to(current.device)):
            self.best_score, self.wait_count = current, 0
            return 0
        self.wait_count += 1
        return 3 if self.wait_count >= self.patience else 0  # out of patience

    @property
    def monitor_op(self) -> Callable[..., Any]:
        """What compares two values."""
        return self.mode_dict[self.mode]

    def _is_better(self, value: Any, other: Any) -> bool:
        if self.has_own_modes:
            return bool(self.monitor_op(value, other))
        return bool(value < other if self.mode == "min" else value > other)

    def _message(
        self, reason: EarlyStoppingReason, current: Tensor, before: Tensor
    ) -> str | None:
        """What there is to say of this value."""
        found, best = f"{self.monitor} = {current}", f"{before:.3f}"
        if reason is EarlyStoppingReason.NON_FINITE_METRIC:
            return f"{found} is not finite. The best value was {best}."
        if reason is EarlyStoppingReason.STOPPING_THRESHOLD:
            goal = self.stopping_threshold
            return f"{found} is better than {goal}, where training is to stop."
        if reason is EarlyStoppingReason.DIVERGENCE_THRESHOLD:
            limit = self.divergence_threshold
            return f"{found} is worse than {limit}: training diverges."
        if reason is EarlyStoppingReason.PATIENCE_EXHAUSTED:
            checks = f"{self.wait_count} checks"
            return f"{self.monitor} has not improved in {checks}. The best is {best}."
        if self.wait_count == 0:
            return f"{found} is the best value so far; before, it was {best}."
        return None

    def _say(self, trainer: Any, message: str | None, should_stop: bool) -> None:
        """Keep the message, and print it, with the rank where there are several."""
        if should_stop:
            self.stopping_reason_message = message
        if self.verbose and message:
            if trainer.world_size > 1:
                message = f"[rank: {trainer.global_rank}] {message}"
            if trainer.global_rank == 0 or not self.log_rank_zero_only:
                print(message)

    @staticmethod
    def _log_info(trainer: Any, message: str, log_rank_zero_only: bool) -> None:
        """Print it, with the rank where there are several."""
        if trainer.world_size > 1:
            message = f"[rank: {trainer.global_rank}] {message}"
        if trainer.global_rank == 0 or not log_rank_zero_only:
            print(message)
