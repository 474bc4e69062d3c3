import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from omegaconf import DictConfig

from src.utils import ranked_logger, rich_utils

log = ranked_logger.RankedLogger(__name__, rank_zero_only=True)


def extras(cfg: DictConfig) -> None:
    """What a run asks for before it begins."""
    if not cfg.get("extras"):
        log.warning("The configuration has no extras.")
        return
    if cfg.extras.get("ignore_warnings"):
        log.info("Warnings are turned off.")
        warnings.filterwarnings("ignore")
    if cfg.extras.get("enforce_tags"):
        rich_utils.enforce_tags(cfg, save_to_file=True)
    if cfg.extras.get("print_config"):
        rich_utils.print_config_tree(cfg, resolve=True, save_to_file=True)


def task_wrapper(task_func: Callable) -> Callable:
    """Logs what stops a task, and where it has written, in any case."""

    def wrap(cfg: DictConfig) -> tuple[dict[str, Any], dict[str, Any]]:
        try:
            metric_dict, object_dict = task_func(cfg=cfg)
        except Exception:
            log.exception("")
            raise
        finally:
            log.info(f"Output dir: {cfg.paths.output_dir}")
            if find_spec("wandb"):
                import wandb

                if wandb.run:
                    log.info("Closing wandb.")
                    wandb.finish()
        return metric_dict, object_dict

    return wrap


def get_metric_value(
    metric_dict: dict[str, Any], metric_name: str | None
) -> float | None:
    """The value of a metric that was logged, for what optimizes hyperparameters."""
    if not metric_name:
        log.info("No metric is optimized.")
        return None
    if metric_name not in metric_dict:
        raise KeyError(
            f"{metric_name} was not logged: <optimized_metric> names another one."
        )
    metric_value = metric_dict[metric_name].item()
    log.info(f"{metric_name}={metric_value}")
    return metric_value
