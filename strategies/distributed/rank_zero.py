"""What rank 0 does and says for all."""

import logging
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from .launchers import launch_variables
from .ranks import ranks_from_env


def rank_zero_only(
    function: Callable[..., Any], default: Any = None
) -> Callable[..., Any]:
    """The function on rank 0; on the others, one that does nothing and returns `default`."""

    @wraps(function)
    def on_rank_zero(*args: Any, **options: Any) -> Any:
        return function(*args, **options) if ranks_from_env().rank == 0 else default

    return on_rank_zero


def rank_zero_info(message: object, *args: object) -> None:
    """Print the message, once."""
    if ranks_from_env().rank == 0:
        print(str(message) % args if args else message, file=sys.stderr)


def rank_zero_warn(message: str | Warning, stacklevel: int = 4, **options: Any) -> None:
    """Warn, once; a `stacklevel` of 4 is the caller, as in Lightning."""
    if ranks_from_env().rank == 0:
        warnings.warn(message, stacklevel=stacklevel - 2, **options)


def rank_zero_debug(message: object, *args: object) -> None:
    """Log the message for whoever debugs, once."""
    if ranks_from_env().rank == 0:
        logging.getLogger(__name__).debug(message, *args)


def rank_prefixed_message(message: str, rank: int | None) -> str:
    """The message, with the rank that says it."""
    return message if rank is None else f"[rank: {rank}] {message}"


def env_rank() -> int | None:
    """The rank that torchrun says; None: nothing says any."""
    return int(launch_variables()["RANK"]) if "RANK" in launch_variables() else None
