"""Trials of Optuna's, which end where others have done better."""

import sys
import warnings
from dataclasses import dataclass
from typing import Any

from .callbacks import Callback


@dataclass(eq=False)
class PyTorchLightningPruningCallback(Callback):
    """Tells a trial of Optuna's a metric after each validation, and ends the run where the trial is pruned."""

    trial: Any
    monitor: str

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Refuse several processes, each of which would have a trial of its own."""
        if trainer.world_size > 1:
            raise RuntimeError("a trial can be pruned in a run of one process alone")

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Report the metric."""
        if trainer.sanity_checking:
            return
        score = trainer.callback_metrics.get(self.monitor)
        if score is None:
            message = f"no {self.monitor!r} to prune by among {sorted(trainer.callback_metrics)}"
            warnings.warn(message, stacklevel=2)
            return
        self.trial.report(score.item(), step=trainer.current_epoch)
        if self.trial.should_prune():
            pruned = sys.modules["optuna"].TrialPruned  # loaded, as a trial was made
            raise pruned(f"Trial was pruned at epoch {trainer.current_epoch}.")

    def check_pruned(self) -> None:
        """With one process, the run has ended where the trial was pruned."""
