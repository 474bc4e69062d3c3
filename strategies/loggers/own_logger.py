"""What loggers of one's own derive from."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..distributed.ranks import ranks_from_env
from .experiment import NoExperiment


class Logger:
    """A logger whose methods say themselves which rank writes."""

    is_main = True
    experiment: Any = None
    save_dir: Any = None
    root_dir: Any = None
    log_dir: Any = None
    group_separator = "/"

    def log_graph(self, model: Any, input_array: Any = None) -> None: ...

    def save(self) -> None: ...

    def finalize(self, status: str) -> None:
        self.save()

    def after_save_checkpoint(self, checkpoint_callback: Any) -> None: ...


def rank_zero_experiment(
    experiment: Callable[[Any], Any],
) -> Callable[[Any], Any]:
    """Have ranks other than the first get an experiment that does nothing."""

    @wraps(experiment)
    def on_rank_zero(logger: Any) -> Any:
        return experiment(logger) if ranks_from_env().rank == 0 else NoExperiment()

    return on_rank_zero
