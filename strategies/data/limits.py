"""How long to train and how often to validate, where that is known only when the script runs."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch import nn

from ..distributed.ranks import Ranks
from .data import T, lookahead, until_one_ends


def epochs_from(first: int, max_epochs: int | None) -> Iterable[int]:
    """The epochs to come: without an end for -1; None means 1000."""
    if max_epochs is None:
        max_epochs = 1000
    return itertools.count(first) if max_epochs == -1 else range(first, max_epochs)


def epochs_beside_steps(
    first: int, max_epochs: int | None, max_steps: int
) -> Iterable[int]:
    """The same, but None is no end where steps are limited."""
    is_open = max_epochs is None and max_steps != -1
    return epochs_from(first, -1 if is_open else max_epochs)


def all_steps(
    steps_per_epoch: float, max_epochs: int | None, max_steps: int = -1
) -> float:
    """The optimizer's steps in all epochs; of a stream, or where no batch is read, the limit that is set."""
    if max_epochs is None:
        max_epochs = 1000 if max_steps == -1 else -1
    most = max_steps if max_steps != -1 else math.inf
    if max_epochs == -1:
        return most
    if steps_per_epoch in (0, math.inf):
        return max_steps
    return min(steps_per_epoch * max(max_epochs, 1), most)


def steps_of(batches: float, accumulate: int) -> float:
    """The optimizer's steps in so many batches, which may be a stream's, without an end."""
    return batches if batches == math.inf else math.ceil(batches / accumulate)


def minima_met(
    epochs: int, steps: int, min_epochs: int | None, min_steps: int | None
) -> bool:
    """Whether training was long enough to be stopped."""
    least = int(min_steps is not None) if min_epochs is None else min_epochs
    return epochs >= least and steps >= (min_steps or 0)


def limited(count: int, limit: float | None) -> int:
    """So many of `count` batches: a whole number of them, a share, or all."""
    if limit is None:
        return count
    if isinstance(limit, int) or limit > 1:
        return min(count, int(limit))
    if count and limit > 0 and not int(count * limit):
        raise SystemExit(f"{limit} of {count} batches is not one: set a larger share")
    return int(count * limit)


def limited_stream(limit: float | None) -> int | None:
    """So many batches of a stream, of which nobody knows the number; None: all of them."""
    if limit is None or (isinstance(limit, float) and limit == 1):
        return None
    if 0 < limit < 1:
        raise SystemExit(f"a stream has no length, of which {limit} could be a share")
    return int(limit)


def limited_length(loader: Any, limit: float | None) -> float:
    """So many batches of a loader, a share, or all; infinity where nobody knows their number."""
    try:
        count = len(loader)
    except (TypeError, NotImplementedError):
        return math.inf if (most := limited_stream(limit)) is None else most
    return limited(count, limit)


def limited_lookahead(batches: Iterable[T], count: float) -> Iterator[tuple[T, bool]]:
    """So many batches, and whether each is the last; of all of them one is fetched ahead to know."""
    if count == math.inf:
        return lookahead(batches)
    cut = itertools.islice(batches, int(count))
    return ((batch, number == count) for number, batch in enumerate(cut, 1))


def limited_lookahead_together(
    batches: Iterable[T], count: float, ranks: Ranks
) -> Iterator[tuple[T, bool]]:
    """The same for ranks, which stop where one of them has no more batches. Every rank calls this."""
    pairs = limited_lookahead(batches, count)
    return until_one_ends(pairs, ranks) if ranks.world_size > 1 else pairs


def stream_batches(loader: Iterable[Any], limit: float | None) -> Iterable[Any]:
    """So many batches of a loader that may be a stream; of all of a stream's one is fetched ahead."""
    count = limited_length(loader, limit)
    pairs = limited_lookahead(loader if count else [], count)  # of none nothing begins
    return (batch for batch, _ in pairs)


def sanity_steps(steps: int, batches: float | None) -> int | None:
    """How many batches of validation to try: -1 is all of them."""
    if batches in (None, math.inf):
        return None if steps == -1 else steps
    return int(batches if steps == -1 else min(steps, batches))


def validation_interval(interval: float | None, batches: int) -> int:
    """After how many batches of an epoch to validate: a whole number of them, or a share of the epoch's."""
    if interval is None:
        return batches
    if not isinstance(interval, int) and interval <= 1:
        return max(1, int(batches * interval))
    if interval > batches:
        raise SystemExit(
            f"an epoch has {batches} batches, too few to validate every {interval}"
        )
    return int(interval)


def interval_over_epochs(interval: float | None, batches: float) -> float:
    """The same, of batches that are counted over all epochs."""
    if isinstance(interval, int):
        return interval
    if interval not in (None, 1):
        raise SystemExit(
            f"batches that are counted over all epochs have no length, of which {interval} "
            "could be a share"
        )
    return batches


def stream_interval(interval: float | None) -> int:
    """After how many batches of a stream to validate."""
    if not isinstance(interval, int):
        raise SystemExit(
            f"a stream has no length, of which {interval} could be a share"
        )
    return interval


def interval_in(loader: Any, interval: float | None, batches: float) -> float:
    """The same of a loader that may be a stream; infinity: when its last batch has been read."""
    if limited_length(loader, None) != math.inf:
        return validation_interval(interval, int(batches))
    if not isinstance(interval, int) and interval in (None, 1):
        return math.inf
    count = stream_interval(interval)
    return count if batches == math.inf else validation_interval(count, int(batches))


def clip_by(algorithm: str | None) -> Callable[..., Any]:
    """torch's function that clips gradients by `norm` or by `value`."""
    is_value = algorithm is not None and algorithm.lower() == "value"
    return nn.utils.clip_grad_value_ if is_value else nn.utils.clip_grad_norm_
