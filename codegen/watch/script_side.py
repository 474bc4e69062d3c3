"""The generated script, run as it is."""

from __future__ import annotations

import inspect
import runpy
import sys
from collections.abc import Mapping
from typing import Any

from torch import nn
from torch.nn.modules.module import register_module_module_registration_hook

from .job import Job
from .records import Sink
from .seeding import seed

WRITE = ["self", "metrics", "epoch", "step"]
"""The parameters of what writes metrics: one class each, with one method of one signature."""


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
    """What the script's writers are handed; where there are several, by the first."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.watched: set[type] = set()
        self.first: Any = None

    def watch(self, names: Mapping[str, Any]) -> None:
        """Watch the script's classes for writing: when its first model is made, they are there."""
        for cls in [each for each in names.values() if isinstance(each, type)]:
            write = vars(cls).get("write")
            if cls not in self.watched and inspect.isfunction(write):
                if list(inspect.signature(write).parameters) == WRITE:
                    self._wrap(cls, "write", lambda metrics, epoch, step: (metrics, step))
                if "write_batch" in vars(cls):
                    self._wrap(cls, "write_batch", lambda metrics, index: (metrics, index))
            self.watched.add(cls)

    def _wrap(self, cls: type, name: str, order: Any) -> None:
        original = getattr(cls, name)

        def wrapped(writer: Any, *args: Any, **options: Any) -> Any:
            self.first = self.first or writer
            if writer is self.first:
                self._note(*order(*args, **options))
            return original(writer, *args, **options)

        setattr(cls, name, wrapped)

    def _note(self, metrics: Mapping[str, Any], step: int) -> None:
        values = {name: value.item() for name, value in metrics.items()}
        step = int(values.pop("step", step))
        if values:
            self.sink.metrics(step, values)
