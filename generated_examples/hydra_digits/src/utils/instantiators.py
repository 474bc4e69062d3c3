import hydra
from lightning import Callback
from lightning.pytorch.loggers import Logger
from omegaconf import DictConfig

from src.utils import ranked_logger

log = ranked_logger.RankedLogger(__name__, rank_zero_only=True)


def instantiate_callbacks(callbacks_cfg: DictConfig) -> list[Callback]:
    """The callbacks that a group of the configuration describes."""
    callbacks: list[Callback] = []
    if not callbacks_cfg:
        log.warning("No callbacks are configured.")
        return callbacks
    if not isinstance(callbacks_cfg, DictConfig):
        raise TypeError("Callbacks are described by a mapping.")
    for cb_conf in callbacks_cfg.values():
        if isinstance(cb_conf, DictConfig) and "_target_" in cb_conf:
            log.info(f"Callback <{cb_conf._target_}>")
            callbacks.append(hydra.utils.instantiate(cb_conf))
    return callbacks


def instantiate_loggers(logger_cfg: DictConfig) -> list[Logger]:
    """The loggers that a group of the configuration describes."""
    logger: list[Logger] = []
    if not logger_cfg:
        log.warning("No loggers are configured.")
        return logger
    if not isinstance(logger_cfg, DictConfig):
        raise TypeError("Loggers are described by a mapping.")
    for lg_conf in logger_cfg.values():
        if isinstance(lg_conf, DictConfig) and "_target_" in lg_conf:
            log.info(f"Logger <{lg_conf._target_}>")
            logger.append(hydra.utils.instantiate(lg_conf))
    return logger
