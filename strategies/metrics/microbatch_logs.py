"""What a model logs in the parts of a batch."""

from collections import defaultdict
from typing import Any

import torch
from torch import Tensor
from torchmetrics import Metric

from .logs import Logs, reduction_name


class MicrobatchLogs(Logs):
    """What training logs, where values of a batch's parts are one value of the batch."""

    is_told_sizes = True  # some call says its batch's size
    is_told_reductions = True  # some call wants another one than the mean

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.share: float | None = None  # of a part in its batch; None outside of parts
        self.parts: dict[str, list[tuple[Any, float]]] = defaultdict(list)
        self.calls: dict[str, tuple[Any, Any, Any]] = {}  # the last of each name

    def __call__(self, name: str, value: Any, *positional: Any, **options: Any) -> None:
        """Within a part, keep the value until the batch is complete."""
        if self.share is None:
            super().__call__(name, value, *positional, **options)
            return
        self.calls[name] = value, positional, options
        if isinstance(value, Metric):
            value = value._forward_cache
        if isinstance(value, Tensor):
            value = value.detach()
        size = options.get("batch_size") if self.is_told_sizes else None
        self.parts[name].append((value, self.share if size is None else size))

    def forget(self) -> None:
        """What parts of a failed attempt have logged does not count."""
        self.parts.clear()
        self.calls = {}

    def join(self) -> None:
        """Log what the parts have logged, as the batch's. Every rank calls this."""
        self.share = None
        for name, (value, positional, options) in self.calls.items():
            weighed = self.parts.pop(name)
            if self.is_told_sizes and "batch_size" in options:
                options["batch_size"] = sum(weight for _, weight in weighed)
            if isinstance(value, Metric):
                if value._forward_cache is not None:
                    value._forward_cache = mean_of(weighed)
            elif self.is_told_reductions and "reduce_fx" in options:
                value = reduced(weighed, options["reduce_fx"])
            else:
                value = mean_of(weighed)
            super().__call__(name, value, *positional, **options)
        self.calls = {}


def mean_of(weighed: list[tuple[Any, float]]) -> Any:
    """The mean of a batch, of values of its parts and their weights."""
    total = sum(weight for _, weight in weighed) or 1  # of no weight: nothing
    return sum(value * weight for value, weight in weighed) / total


def reduced(weighed: list[tuple[Any, float]], reduce_fx: Any) -> Any:
    """The same by any reduction of `log`."""
    if (reduce := reduction_name(reduce_fx)) == "mean":
        return mean_of(weighed)
    values = [torch.as_tensor(value) for value, _ in weighed]
    return getattr(torch.stack(values), reduce)()
