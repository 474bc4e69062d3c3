import logging
from collections.abc import Mapping
from typing import Any

from lightning_utilities.core.rank_zero import rank_prefixed_message, rank_zero_only


class RankedLogger(logging.LoggerAdapter):
    """A logger that says which rank speaks; if so told, of rank 0 alone."""

    def __init__(
        self,
        name: str = __name__,
        rank_zero_only: bool = False,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(logger=logging.getLogger(name), extra=extra)
        self.rank_zero_only = rank_zero_only

    def log(self, level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
        """Log the message on all ranks, or on the `rank` that is given."""
        rank = kwargs.pop("rank", None)
        if self.isEnabledFor(level):
            msg, options = self.process(msg, kwargs)
            current_rank = getattr(rank_zero_only, "rank", None)
            if current_rank is None:
                raise RuntimeError("The rank is not known yet.")
            msg = rank_prefixed_message(msg, current_rank)
            if self.rank_zero_only:
                if current_rank == 0:
                    self.logger.log(level, msg, *args, **options)
            elif rank is None or current_rank == rank:
                self.logger.log(level, msg, *args, **options)
