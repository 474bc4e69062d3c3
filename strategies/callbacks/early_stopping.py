"""When training stops before its last epoch."""

import warnings
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch import Tensor

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
    explains = True  # keeps why it stopped

    def __post_init__(self) -> None:
        if self.mode not in ("min", "max"):
            raise ValueError(f"mode cannot be {self.mode!r}")
        self.best_score = torch.tensor(torch.inf if self.mode == "min" else -torch.inf)
        self.wait_count = 0
        self.stopped_epoch = 0
        if self.explains:
            self.stopping_reason = EarlyStoppingReason.NOT_STOPPED
            self.stopping_reason_message: str | None = None

    @property
    def state_key(self) -> str:
        """Under which a checkpoint keeps the callback's state."""
        return self._generate_state_key(monitor=self.monitor, mode=self.mode)

    def state_dict(self) -> dict[str, Any]:
        """The best value, and how long ago it was."""
        state = {
            "wait_count": self.wait_count,
            "stopped_epoch": self.stopped_epoch,
            "best_score": self.best_score,
            "patience": self.patience,
        }
        if self.explains:
            state["stopping_reason"] = self.stopping_reason.value
            state["stopping_reason_message"] = self.stopping_reason_message
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on waiting."""
        self.wait_count = state_dict["wait_count"]
        self.stopped_epoch = state_dict["stopped_epoch"]
        self.best_score = state_dict["best_score"]
        self.patience = state_dict["patience"]
        if self.explains and "stopping_reason" in state_dict:
            self.stopping_reason = EarlyStoppingReason(state_dict["stopping_reason"])
            self.stopping_reason_message = state_dict["stopping_reason_message"]

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Check at the epoch's end."""
        if self._checks_on_train_epoch_end(trainer):
            self._run_early_stopping_check(trainer)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Check after a validation."""
        is_trial = trainer.state_fn != "fit" or trainer.sanity_checking
        if not is_trial and not self._checks_on_train_epoch_end(trainer):
            self._run_early_stopping_check(trainer)

    def _checks_on_train_epoch_end(self, trainer: Any) -> bool:
        if self.check_on_train_epoch_end is not None:
            return self.check_on_train_epoch_end
        if trainer.check_val_every_n_epoch != 1:
            return False
        return bool(trainer.val_check_interval == 1.0)

    def _run_early_stopping_check(self, trainer: Any) -> None:
        """Check the newest value, if there is one."""
        metrics = trainer.callback_metrics
        if self.monitor in metrics:
            self._check(trainer, metrics[self.monitor].squeeze())
        elif self.strict:
            raise RuntimeError(self._complaint(metrics))
        elif self.verbose and trainer.is_global_zero:
            warnings.warn(self._complaint(metrics), stacklevel=2)

    def _complaint(self, metrics: dict[str, Tensor]) -> str:
        logged = ", ".join(sorted(metrics))
        return (
            f"EarlyStopping monitors {self.monitor!r}, but what was logged is {logged}"
        )

    def _check(self, trainer: Any, current: Tensor) -> None:
        """Stop on all ranks if one has reason to. Every rank calls this."""
        self._message: str | None = None
        if any_rank(self._should_stop(current)):
            trainer.should_stop = True
            self.stopped_epoch = trainer.current_epoch
            if self.explains:
                self.stopping_reason_message = self._message
        if self.verbose and self._message:
            self._say(trainer, self._message)

    def _should_stop(self, current: Tensor) -> bool:
        """Whether this value is a reason to stop."""
        goal = self.stopping_threshold
        limit = self.divergence_threshold
        if self.check_finite and not current.isfinite():
            self._explain(f"= {current} is not finite", "NON_FINITE_METRIC")
            return True
        if goal is not None and self._is_better(current, goal):
            self._explain(f"= {current} is better than {goal}", "STOPPING_THRESHOLD")
            return True
        if limit is not None and self._is_better(limit, current):
            self._explain(f"= {current} is worse than {limit}", "DIVERGENCE_THRESHOLD")
            return True
        if self._improves(current):
            self._explain(f"= {current} is the best value so far")
            self.best_score, self.wait_count = current, 0
            return False
        self.wait_count += 1
        if self.wait_count >= self.patience:
            why = f"has not improved in {self.wait_count} checks"
            self._explain(why, "PATIENCE_EXHAUSTED")
            return True
        return False

    def _explain(self, why: str, reason: str | None = None) -> None:
        """Note why training stops, or goes on."""
        if self.explains:
            best = f"The best before was {self.best_score:.3f}."
            self._message = f"{self.monitor} {why}. {best}"
            if reason is not None:
                self.stopping_reason = EarlyStoppingReason[reason]

    def _improves(self, current: Tensor) -> bool:
        """Whether the value is better by more than `min_delta`."""
        margin = self.min_delta if self.mode == "max" else -self.min_delta
        return self._is_better(current - margin, self.best_score.to(current.device))

    def _is_better(self, value: Any, other: Any) -> bool:
        return bool(value < other if self.mode == "min" else value > other)

    def _say(self, trainer: Any, message: str) -> None:
        """Print, with the rank where there are several."""
        if trainer.world_size > 1:
            message = f"[rank: {trainer.global_rank}] {message}"
        if trainer.is_global_zero or not self.log_rank_zero_only:
            print(message)
