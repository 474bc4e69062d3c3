"""The generated script, run as it is."""

from __future__ import annotations

import inspect
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn
from torch.nn.modules.module import register_module_module_registration_hook

from .job import Job
from .records import Sink
from .seeding import seed

Order = Callable[..., tuple[Mapping[str, Any], int]]

WRITERS: dict[str, tuple[list[str], Order]] = {
    "write": (["self", "metrics", "epoch", "step"], lambda metrics, epoch, step: (metrics, step)),
    "write_batch": (["self", "metrics", "index"], lambda metrics, index: (metrics, index)),
    "log_metrics": (["self", "metrics", "step"], lambda metrics, step=None: (metrics, step or 0)),
}
"""The methods by which a script writes metrics: their parameters, and the metrics and the step among them."""


def run_script(job: Job, sink: Sink) -> None:
    """Run the script to its end, handing what it logs to the sink."""
    seed()
    written = _Written(sink)

    def look(module: nn.Module, name: str, part: object) -> None:
        if type(module).__module__ == "__main__":
            written.watch(vars(sys.modules["__main__"]))

    with register_module_module_registration_hook(look):
        runpy.run_path(job["program"], run_name="__main__")


class _Written:
    """What the script's writers and loggers are handed; where several are handed the same, by the first."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.watched: set[type] = set()
        self.last: Any = None
        self.is_writing = False  # what a writer hands on is noted already

    def watch(self, names: Mapping[str, Any]) -> None:
        """Watch the script's classes for writing: when its first model is made, they are there."""
        for cls in {each for each in names.values() if isinstance(each, type)} - self.watched:
            self.watched.add(cls)
            for name, (parameters, order) in WRITERS.items():
                method = vars(cls).get(name)
                if inspect.isfunction(method) and list(inspect.signature(method).parameters) == parameters:
                    self._wrap(cls, name, order)
            if "log_hyperparams" in vars(cls):
                self._wrap(cls, "log_hyperparams", None)

    def _wrap(self, cls: type, name: str, order: Order | None) -> None:
        """Note what the method is handed; what a method without an order writes is none of the run's metrics."""
        original = getattr(cls, name)

        def wrapped(writer: Any, *args: Any, **options: Any) -> Any:
            if order and not self.is_writing:
                self._note(writer, *order(*args, **options))
            with self._writing():
                return original(writer, *args, **options)

        setattr(cls, name, wrapped)

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
