"""What a run's loggers are handed, on either side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import Tensor

from .records import Sink

Order = Callable[..., tuple[Mapping[str, Any], int]]
"""The metrics and the step among the arguments of a method that writes them."""


def metrics_and_step(metrics: Mapping[str, Any], step: int | None = None) -> tuple[Mapping[str, Any], int]:
    """In the order of a logger's `log_metrics`."""
    return metrics, step or 0


class Written:
    """What writers and loggers are handed; where several are handed the same, by the first."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.last: Any = None
        self.is_writing = False  # what a writer hands on is noted already

    def noting(self, method: Callable[..., Any], order: Order | None) -> Callable[..., Any]:
        """The method, noted; what a method without an order writes is none of the run's metrics."""

        def noted(writer: Any, *args: Any, **options: Any) -> Any:
            if order and not self.is_writing:
                self._note(writer, *order(*args, **options))
            with self._writing():
                return method(writer, *args, **options)

        return noted

    @contextmanager
    def _writing(self) -> Iterator[None]:
        before, self.is_writing = self.is_writing, True
        try:
            yield
        finally:
            self.is_writing = before

    def _note(self, writer: object, metrics: Mapping[str, Any], step: int) -> None:
        values = {
            name: value.item() if isinstance(value, Tensor) else value for name, value in metrics.items()
        }
        step = int(values.pop("step", step))
        values.pop("epoch", None)
        if values and not self._is_for_the_next(writer, (step, values)):
            self.last = writer, (step, values)
            self.sink.metrics(step, values)

    def _is_for_the_next(self, writer: object, row: tuple[int, dict[str, Any]]) -> bool:
        """Whether another writer was just handed the same."""
        return self.last is not None and self.last[0] is not writer and self.last[1] == row
