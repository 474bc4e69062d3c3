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
from .written import Order, Written, metrics_and_step

WRITERS: dict[str, tuple[list[str], Order]] = {
    "write": (["self", "metrics", "epoch", "step"], lambda metrics, epoch, step: (metrics, step)),
    "write_batch": (["self", "metrics", "index"], lambda metrics, index: (metrics, index)),
    "log_metrics": (["self", "metrics", "step"], metrics_and_step),
}
"""The methods by which a script writes metrics: their parameters, and the metrics and the step among them."""


def run_script(job: Job, sink: Sink) -> None:
    """Run the script to its end, handing what it logs to the sink."""
    seed()
    watch = _Watch(sink)

    def look(module: nn.Module, name: str, part: object) -> None:
        if type(module).__module__ == "__main__":
            watch.look_at(vars(sys.modules["__main__"]))

    with register_module_module_registration_hook(look):
        runpy.run_path(job["program"], run_name="__main__")


class _Watch:
    """Has it noted what the script's writers and loggers are handed."""

    def __init__(self, sink: Sink) -> None:
        self.written = Written(sink)
        self.watched: set[type] = set()

    def look_at(self, names: Mapping[str, Any]) -> None:
        """Watch the script's classes for writing: when its first model is made, they are there."""
        for cls in {each for each in names.values() if isinstance(each, type)} - self.watched:
            self.watched.add(cls)
            for name, (parameters, order) in WRITERS.items():
                method = vars(cls).get(name)
                if inspect.isfunction(method) and list(inspect.signature(method).parameters) == parameters:
                    setattr(cls, name, self.written.noting(method, order))
            for name in {"log_hyperparams"} & vars(cls).keys():
                setattr(cls, name, self.written.noting(vars(cls)[name], None))
