"""Loggers that the user's code makes: what the model logs goes to each of them."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

import torch.distributed as dist
from torch import Tensor

from ..callbacks.callbacks import from_rank_zero
from ..command_line.trainer_settings import not_built_for
from .tensorboard_logger import TensorBoardLogger


def logger_list(logger: Any) -> list[Any]:
    """One logger, several or none as a list."""
    if not logger or logger is True:
        return []
    return list(logger) if isinstance(logger, Iterable) else [logger]


def configured_loggers(logger: Any) -> list[Any]:
    """The same, of a configuration, which may say something else than when the script was built."""
    if logger is True:
        raise not_built_for("logger=True")
    return logger_list(logger)


def default_loggers(folder: str | os.PathLike[str]) -> list[Any]:
    """What a Trainer has that is given no logger."""
    return [TensorBoardLogger(folder)]


def loggers_or_default(logger: Any, folder: str | os.PathLike[str]) -> list[Any]:
    """The same as a list, and what a Trainer makes where it is told of none."""
    makes_own = logger is None or logger is True
    return default_loggers(folder) if makes_own else logger_list(logger)


class LoggerObjects:
    """Hands what is logged to every logger."""

    def __init__(self, loggers: list[Any]) -> None:
        self.loggers = loggers

    def write(self, metrics: dict[str, Tensor], epoch: int, step: int) -> None:
        """A metric that is called step is the step."""
        values: dict[str, Any] = {name: metrics[name].item() for name in metrics}
        if "step" in values:
            step = int(values.pop("step"))
        elif values:
            values.setdefault("epoch", epoch)
        self._log(values, step)

    def write_batch(self, metrics: dict[str, Tensor], index: int) -> None:
        """What a batch of validation logs for itself."""
        values = {name: metrics[name].item() for name in metrics}
        self._log(values, index)

    def _log(self, values: dict[str, Any], step: int) -> None:
        """Write the values now, whatever a logger keeps back otherwise."""
        for logger in self.loggers if values else []:
            logger.log_metrics(values, step)
            logger.save()


def open_experiments(loggers: list[Any], shares_versions: bool = True) -> None:
    """Have the files and runs made that loggers write to. Every rank calls this."""
    for logger in loggers:
        try:
            _ = logger.is_main and logger.experiment  # the first use makes them
        except OSError as error:
            raise SystemExit(f"cannot write logs: {error}") from None
    if shares_versions and dist.is_initialized():
        share_versions(loggers)


def share_versions(loggers: list[Any]) -> None:
    """Number folders as rank 0 has: by now the next free number is another. Every rank calls this."""
    versions = from_rank_zero([vars(logger).get("version") for logger in loggers])
    # other ranks may have more loggers, or fewer
    for logger, version in zip(loggers, versions, strict=False):
        if version is not None:
            vars(logger)["version"] = version


def merged_hyperparameters(
    loggers: list[Any], of_model: Mapping[str, Any], of_data: Mapping[str, Any]
) -> dict[str, Any]:
    """The model's and the data module's, which loggers are told of where they agree in what both have."""
    common = of_model.keys() & of_data.keys()
    differing = [name for name in common if differ(of_model[name], of_data[name])]
    if differing and loggers:
        raise RuntimeError(
            "the model and the data module have saved different values of the "
            f"hyperparameters {', '.join(sorted(differing))}"
        )
    return {**of_model, **of_data}


def differ(one: Any, other: Any) -> bool:
    """Whether two hyperparameters are not the same; tensors never are."""
    return type(one) is not type(other) or isinstance(one, Tensor) or one != other


def log_hyperparameters(loggers: list[Any], hparams: dict[str, Any] | None) -> None:
    """Have every logger note what the run was made with."""
    for logger in loggers:
        if hparams is not None:
            logger.log_hyperparams(hparams)
        logger.save()
